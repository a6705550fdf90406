import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { readApiMessages } from '../../../src/api/protobuf/api-messages.ts';
import { inEnvelope } from '../../../src/api/protobuf/envelope.ts';
import { READ_KINDS, WRITTEN_KINDS } from '../../../src/api/protobuf/kinds.ts';
import { protobufCodec } from '../../../src/api/protobuf/protobuf-codec.ts';
import { whyUnread } from '../../../src/api/unread-object.ts';
import { protobufEvent, protobufObject } from '../../../src/embedded/apiserver/http/encode-protobuf.ts';
import { readProtobuf } from '../../../src/embedded/apiserver/protobuf/read-protobuf.ts';
import { arbitraryObject } from './arbitrary-object.ts';
import { FOREIGN_NAMES } from '../../support/foreign-names.ts';
import { writtenPod } from '../../../bench/reflector/written-pod.ts';

const messages = readApiMessages(
  readFileSync(join(import.meta.dirname, '../../../src/api/protobuf/api-messages.txt'), 'utf8'),
);
const codec = protobufCodec();
const LENGTH_DELIMITED = WireType.LengthDelimited;

/** The kinds with an API version: `ListMeta` stands only in lists. */
const kinds = Object.entries(READ_KINDS).flatMap(([key, message]) => {
  const at = key.lastIndexOf('/');
  return at < 0 ? [] : [{ apiVersion: key.slice(0, at), kind: key.slice(at + 1), message }];
});

const encoded = (object: object): Buffer => {
  const bytes = protobufObject(object);
  if (bytes === undefined) throw new Error('the kind has no table');
  return bytes;
};

/** Without the member that is never read. */
const withoutManagedFields = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member: unknown) => (name === 'managedFields' ? undefined : member));

/** A list as servers send it. Each item is a finished message. */
function listOf(kind: string, items: readonly Uint8Array[], { version = '7', more = '' } = {}): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, LENGTH_DELIMITED).fork();
  writer.tag(2, LENGTH_DELIMITED).string(version).tag(3, LENGTH_DELIMITED).string(more);
  writer.join();
  for (const item of items) writer.tag(2, LENGTH_DELIMITED).bytes(item);
  return inEnvelope({ apiVersion: 'v1', kind }, writer.finish());
}

/** What became of a body: the type of what was read, or of what was thrown. */
function outcomeOf(body: Buffer): string {
  try {
    return typeof codec.readBody(body).value;
  } catch (error) {
    return error instanceof Error ? error.constructor.name : 'no error';
  }
}

/** The message of a pod with a name, then these bytes. */
function podMessage(metadata: { readonly name: string; readonly uid: string }, ...more: readonly number[]): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, LENGTH_DELIMITED).fork();
  writer.tag(1, LENGTH_DELIMITED).string(metadata.name).tag(5, LENGTH_DELIMITED).string(metadata.uid);
  writer.join();
  return Buffer.concat([writer.finish(), Buffer.from(more)]);
}

describe('an object in protobuf', () => {
  it.each(kinds)(
    '$apiVersion $kind is read as its JSON is, with any of its fields',
    ({ apiVersion, kind, message }) => {
      assert(
        property(arbitraryObject(messages, message), (members) => {
          const object = { kind, apiVersion, ...members };
          const { value, unknownFields } = codec.readBody(encoded(object));
          expect(value).toEqual(withoutManagedFields(object));
          expect(unknownFields).toBe(0);
        }),
        { numRuns: 25 },
      );
    },
  );

  it('of a deployment, as a server writes it, is read as its JSON is', () => {
    for (let index = 0; index < 40; index += 1) {
      const pod = JSON.parse(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...writtenPod(index) }), (_, member) =>
        member === null ? undefined : (member as unknown),
      ) as object;
      expect(codec.readBody(encoded(pod)).value).toEqual(withoutManagedFields(pod));
    }
  });

  it.each(FOREIGN_NAMES)('with %s as a key of its maps has an own key, and no object inherits that key', (name) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const entries = Object.fromEntries([[name, 'eA==']]);
    const metadata = { name: 'm', labels: entries, annotations: entries };
    const secret = { kind: 'Secret', apiVersion: 'v1', metadata, data: entries };
    const { value } = codec.readBody(encoded(secret));
    const { metadata: read, data } = value as typeof secret;
    for (const map of [read.labels, read.annotations, data]) {
      expect(Object.entries(map)).toEqual([[name, 'eA==']]);
      expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it('without times and with empty members has the members that JSON has', () => {
    const message = Buffer.concat([
      // metadata: name "a", generateName "", creationTimestamp of no time
      Buffer.from([10, 7, 10, 1, 97, 18, 0, 66, 0]),
      // status: phase ""
      Buffer.from([26, 2, 10, 0]),
    ]);
    expect(codec.readBody(inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, message)).value).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      status: {},
    });
  });

  it('of a newer server is read without the unknown fields, which are counted', () => {
    const message = podMessage({ name: 'a', uid: 'u' }, 0x9a, 0x3e, 1, 120, 0xa0, 0x3e, 5);
    const { value, unknownFields } = codec.readBody(inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, message));
    expect(value).toEqual({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', uid: 'u' } });
    expect(unknownFields).toBe(2);
  });

  it('may hold a list of numbers in one field or in many', () => {
    const groups = (...bytes: readonly number[]): unknown => {
      const message = Buffer.from([18, bytes.length + 2, 114, bytes.length, ...bytes]);
      const { value } = codec.readBody(inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, message));
      return (value as { readonly spec: { readonly securityContext: unknown } }).spec.securityContext;
    };
    expect(groups(32, 1, 32, 2)).toEqual({ supplementalGroups: [1, 2] });
    expect(groups(34, 2, 1, 2)).toEqual({ supplementalGroups: [1, 2] });
  });

  it.each([
    { what: 'that has no envelope', body: Buffer.from('{}') },
    { what: 'that is empty', body: Buffer.alloc(0) },
    { what: 'of an unknown kind', body: inEnvelope({ apiVersion: 'v1', kind: 'Widget' }, Buffer.alloc(0)) },
    {
      what: 'of a list of an unknown kind',
      body: inEnvelope({ apiVersion: 'v1', kind: 'WidgetList' }, Buffer.alloc(0)),
    },
    {
      what: 'named like a member of all objects',
      body: inEnvelope({ apiVersion: 'v1', kind: 'constructor' }, Buffer.alloc(0)),
    },
    {
      what: 'that is cut short',
      body: encoded({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }).subarray(0, -2),
    },
    {
      what: 'with a group, which could nest for ever',
      body: inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, Buffer.alloc(9_999, 11)),
    },
    {
      what: 'with a time beyond the calendar',
      body: inEnvelope(
        { apiVersion: 'v1', kind: 'Pod' },
        Buffer.from([10, 12, 66, 10, 8, ...Array<number>(8).fill(0xff), 0x7f]),
      ),
    },
    {
      what: 'with a number of eleven bytes',
      body: inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, Buffer.from([10, 12, 56, ...Array<number>(11).fill(0xff)])),
    },
  ])('$what is rejected', ({ body }) => {
    expect(() => codec.readBody(body)).toThrow(/./);
  });

  it('that is damaged anywhere gives an object or an error, and neither takes the next object along', () => {
    const good = encoded({ kind: 'Pod', apiVersion: 'v1', ...writtenPod(3) });
    const whole = codec.readBody(good).value;
    assert(
      property(nat(good.length - 1), nat(255), (at, byte) => {
        const bad = Buffer.from(good);
        bad[at] = byte;
        expect(outcomeOf(bad)).toMatch(/^(object|MalformedMessage)$/);
        expect(codec.readBody(good).value).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a list in protobuf', () => {
  it('is read with its version and its next page', () => {
    const body = listOf('PodList', [podMessage({ name: 'a', uid: 'u' })], { version: '12', more: 'next' });
    expect(codec.readBody(body).value).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '12', continue: 'next' },
      items: [{ metadata: { name: 'a', uid: 'u' } }],
    });
  });

  it('without items is empty', () => {
    expect(codec.readBody(listOf('NodeList', [])).value).toMatchObject({ items: [] });
  });

  it.each([
    { rule: 'a field longer than the object', damage: [18, 100, 1] },
    { rule: 'a field that is cut short', damage: [18] },
    { rule: 'a group', damage: [11] },
    { rule: 'a field that reaches into the next object', damage: [18, 5] },
  ])('leaves out only the item with $rule, by its name', ({ damage }) => {
    const items = [podMessage({ name: 'a', uid: '1' }), podMessage({ name: 'bad', uid: '2' }, ...damage)];
    const { value } = codec.readBody(listOf('PodList', [...items, podMessage({ name: 'c', uid: '3' })]));
    const { items: read } = value as { readonly items: readonly object[] };
    expect(read.map((item) => whyUnread(item) !== undefined)).toEqual([false, true, false]);
    expect(read[1]).toMatchObject({ metadata: { name: 'bad', uid: '2' } });
    expect(read[2]).toEqual({ metadata: { name: 'c', uid: '3' } });
  });
});

describe('a watch event in protobuf', () => {
  const frame = (type: 'ADDED' | 'ERROR', object: object): Buffer => protobufEvent({ type, object }).subarray(4);

  it('is read with its object', () => {
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } };
    expect(codec.readWatchEvent(frame('ADDED', pod))).toEqual({ type: 'ADDED', object: pod });
  });

  it('of an error has the status of the server', () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Expired', code: 410 };
    expect(codec.readWatchEvent(frame('ERROR', status))).toEqual({ type: 'ERROR', object: status });
  });

  it('whose object is damaged names that object', () => {
    const raw = inEnvelope({ apiVersion: 'v1', kind: 'Pod' }, podMessage({ name: 'bad', uid: 'u' }, 18, 100));
    const writer = new BinaryWriter();
    writer.tag(1, LENGTH_DELIMITED).string('MODIFIED').tag(2, LENGTH_DELIMITED).fork();
    writer.tag(1, LENGTH_DELIMITED).bytes(raw);
    const { type, object } = codec.readWatchEvent(Buffer.from(writer.join().finish()));
    expect(type).toBe('MODIFIED');
    expect(whyUnread(object)).toMatch(/^is not a message of its kind/);
    expect(object).toMatchObject({ metadata: { name: 'bad', uid: 'u' } });
  });

  it.each([
    { what: 'without an object', bytes: Buffer.from([10, 5, ...Buffer.from('ADDED')]) },
    { what: 'of an unknown type', bytes: Buffer.from([10, 1, 65]) },
    { what: 'that is garbage', bytes: Buffer.from('{"type":"ADDED"}') },
    { what: 'that is empty', bytes: Buffer.alloc(0) },
  ])('$what is rejected', ({ bytes }) => {
    expect(() => codec.readWatchEvent(bytes)).toThrow(/./);
  });

  it.each([0, 1, 5, 30, 90])('of which %i bytes more than its name arrived is known by its name', (more) => {
    const whole = frame('ADDED', { kind: 'Pod', apiVersion: 'v1', ...writtenPod(1) });
    const name = (writtenPod(1) as { readonly metadata: { readonly name: string } }).metadata.name;
    const beginning = whole.subarray(0, whole.indexOf(name) + name.length + more);
    expect(codec.nameInBeginning(beginning)).toMatchObject({ metadata: { name } });
  });
});

describe('a body in protobuf', () => {
  const written = Object.entries(WRITTEN_KINDS).map(([key, message]) => {
    const at = key.lastIndexOf('/');
    return { apiVersion: key.slice(0, at), kind: key.slice(at + 1), message };
  });

  it.each(written)('$apiVersion $kind is read by a server as the JSON that the agent has', (of) => {
    const { apiVersion, kind, message } = of;
    assert(
      property(arbitraryObject(messages, message), (members) => {
        const object = { apiVersion, kind, ...members };
        const body = codec.writeBody(object);
        expect(body && readProtobuf(body)).toEqual(object);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    { what: 'of another kind', body: { apiVersion: 'v1', kind: 'Widget' } },
    { what: 'without a kind', body: { gracePeriodSeconds: 0 } },
    {
      what: 'with a field that has no number',
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', new: 1 } },
    },
    { what: 'with a value of another type', body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 5 } } },
    {
      what: 'with a time that is none',
      body: { apiVersion: 'v1', kind: 'Node', metadata: { creationTimestamp: 'x' } },
    },
  ])('$what is sent in JSON', ({ body }) => {
    expect(codec.writeBody(body)).toBeUndefined();
  });
});
