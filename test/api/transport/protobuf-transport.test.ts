import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { ApiFault, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent } from '../../../src/api/api-transport.ts';
import { inEnvelope } from '../../../src/api/protobuf/envelope.ts';
import { protobufCodec } from '../../../src/api/protobuf/protobuf-codec.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { networkTransport } from '../../../src/api/transport/network-transport.ts';
import { MOST_OBJECT_BYTES } from '../../../src/api/transport/watch-handler.ts';
import { whyUnread } from '../../../src/api/unread-object.ts';
import { protobufEvent, protobufObject } from '../../../src/embedded/apiserver/http/encode-protobuf.ts';
import { readProtobuf } from '../../../src/embedded/apiserver/protobuf/read-protobuf.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const WATCH = `${PROTOBUF};stream=watch`;
const JSON_TYPE = 'application/json';

/** One request as the server received it. */
interface Seen {
  readonly method: string;
  readonly accept: string;
  readonly type: string;
  readonly body: Buffer;
}

let server: Server;
let transport: ApiTransport;
let seen: Seen[];
let forms: string[];
let handler: (asked: Seen, response: ServerResponse) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  seen = [];
  forms = [];
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { accept = '', 'content-type': type = '' } = request.headers;
      const asked = { method: request.method ?? '', accept, type, body: Buffer.concat(parts) };
      seen.push(asked);
      handler(asked, response);
    });
  };
  server = createServer(listen).listen(0, '127.0.0.1');
  server.on('connection', (socket) => sockets.add(socket));
  await once(server, 'listening');
  const identity = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proxyUrl: undefined,
    tls: { ca: undefined, certificate: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
    headers: {},
  };
  transport = networkTransport({
    source: { read: () => Promise.resolve(identity), discardCredentials() {} },
    open: openConnections,
    clock: systemClock,
    log: silentLog,
    userAgent: 'test',
    codec: protobufCodec(),
    answered: (resource, form) => forms.push(`${resource} ${form}`),
  });
});

afterEach(async () => {
  transport.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const pod = (name: string) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, uid: name, resourceVersion: '5' } });
const lease = {
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name: 'a', resourceVersion: '5' },
  spec: { holderIdentity: 'a', renewTime: '2026-01-01T00:00:00.000001Z' },
};
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a';
const encoded = (object: object): Buffer => protobufObject(object) ?? Buffer.alloc(0);

const send = (response: ServerResponse, type: string, body: Buffer | string, code = 200): void =>
  void response.writeHead(code, { 'content-type': type }).end(body);
const status = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `because of ${reason}`,
  reason,
  code,
});

const call = (request: Partial<ApiRequest> = {}) =>
  transport.call({ verb: 'get', path: '/api/v1/namespaces/a/pods/b', priority: 'object', ...request }, 5_000);

const watched = (
  path = '/api/v1/pods?watch=true',
): Promise<{
  readonly events: readonly WatchEvent[];
  readonly fault: ApiFault | undefined;
}> =>
  new Promise((resolve) => {
    const events: WatchEvent[] = [];
    transport.watch(path, {
      events: (some) => void events.push(...some),
      ended: (fault) => resolve({ events, fault }),
    });
  });

describe('a call in protobuf', () => {
  it('asks for protobuf before JSON, and reads the answer as the JSON that it stands for', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, encoded(pod('b')));
    expect(await call()).toEqual({ ok: true, value: pod('b') });
    expect(seen.map(({ accept }) => accept)).toEqual([`${PROTOBUF},${JSON_TYPE}`]);
    expect(forms).toEqual(['pods protobuf']);
  });

  it.each([
    { path: '/version', what: 'a path without a resource' },
    { path: '/apis/example.com/v1/widgets/a', what: 'a resource without a table' },
  ])('is never asked for $what', async ({ path }) => {
    handler = (_asked, response) => send(response, JSON_TYPE, '{}');
    expect(await call({ path })).toEqual({ ok: true, value: {} });
    expect(seen.map(({ accept }) => accept)).toEqual([JSON_TYPE]);
  });

  it('has the reason, the message and the pause of a refusal', async () => {
    handler = (_asked, response) => {
      response.setHeader('retry-after', '7');
      send(response, PROTOBUF, encoded(status(429, 'TooManyRequests')), 429);
    };
    const fault = { code: 429, reason: 'TooManyRequests', message: 'because of TooManyRequests', retryAfterMs: 7_000 };
    expect(await call()).toEqual({ ok: false, fault: { kind: 'refused', ...fault } });
  });

  it('has the reason of its code if the refusal cannot be read', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, Buffer.from('k8s\0garbage'), 404);
    expect(await call()).toMatchObject({ ok: false, fault: { kind: 'refused', code: 404, reason: 'NotFound' } });
    expect(seen).toHaveLength(1);
  });

  it.each([
    { code: 406, reason: 'NotAcceptable' },
    { code: 415, reason: 'UnsupportedMediaType' },
  ])('that the server refuses with $code follows in JSON at once, and so do later calls', async ({ code, reason }) => {
    handler = ({ accept, type }, response) =>
      accept.includes(PROTOBUF) || type === PROTOBUF
        ? send(response, JSON_TYPE, JSON.stringify(status(code, reason)), code)
        : send(response, JSON_TYPE, JSON.stringify(lease), 200);
    const body = lease;
    expect(await call({ verb: 'update', path: LEASE, body, priority: 'lease' })).toEqual({ ok: true, value: lease });
    expect(await call({ verb: 'update', path: LEASE, body, priority: 'lease' })).toEqual({ ok: true, value: lease });
    expect(seen.map(({ type }) => type)).toEqual([PROTOBUF, JSON_TYPE, JSON_TYPE]);
    expect(seen.slice(1).map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([lease, lease]);
    expect(forms).toEqual(['leases json', 'leases json']);
  });

  it('that is refused in both forms is refused once in each', async () => {
    handler = (_asked, response) => send(response, JSON_TYPE, JSON.stringify(status(406, 'NotAcceptable')), 406);
    expect(await call()).toMatchObject({ ok: false, fault: { code: 406 } });
    expect(seen).toHaveLength(2);
  });

  it('that is answered in JSON is good, and bodies of that resource are JSON from then on', async () => {
    handler = (_asked, response) => send(response, JSON_TYPE, JSON.stringify(lease));
    expect(await call({ path: LEASE })).toEqual({ ok: true, value: lease });
    await call({ verb: 'update', path: LEASE, body: lease });
    expect(seen.map(({ accept, type }) => [accept, type])).toEqual([
      [`${PROTOBUF},${JSON_TYPE}`, ''],
      [JSON_TYPE, JSON_TYPE],
    ]);
  });

  it.each([
    { what: 'garbage', body: Buffer.from('garbage') },
    { what: 'cut short', body: encoded(pod('b')).subarray(0, -3) },
    { what: 'of an unknown kind', body: inEnvelope({ apiVersion: 'v1', kind: 'Widget' }, Buffer.alloc(0)) },
  ])('whose answer is $what is asked for again in JSON', async ({ body }) => {
    handler = ({ accept }, response) =>
      accept.includes(PROTOBUF) ? send(response, PROTOBUF, body) : send(response, JSON_TYPE, JSON.stringify(pod('b')));
    expect(await call()).toEqual({ ok: true, value: pod('b') });
    expect(await call()).toEqual({ ok: true, value: pod('b') });
    expect(seen).toHaveLength(3);
  });

  it('that wrote something is not repeated because its answer cannot be read', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, Buffer.from('garbage'));
    const outcome = await call({ verb: 'create', path: LEASE, body: lease });
    expect(outcome).toMatchObject({ ok: false, fault: { kind: 'unreadable' } });
    expect(seen).toHaveLength(1);
  });

  it('whose answer is larger than any object is unreadable', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, Buffer.alloc(MOST_OBJECT_BYTES + 1));
    expect(await call()).toMatchObject({ ok: false, fault: { kind: 'unreadable' } });
  });

  it.each([
    { verb: 'patch', patchType: 'merge', type: 'application/merge-patch+json' },
    { verb: 'patch', patchType: 'strategic-merge', type: 'application/strategic-merge-patch+json' },
    { verb: 'delete', type: JSON_TYPE },
    { verb: 'create', type: PROTOBUF },
    { verb: 'update', type: PROTOBUF },
  ] as const)('that is a $verb has a body of $type', async ({ type, ...request }) => {
    handler = (_asked, response) => send(response, PROTOBUF, encoded(lease));
    await call({ ...request, path: LEASE, body: lease });
    expect(seen[0]?.type).toBe(type);
    const body = seen[0]?.body ?? Buffer.alloc(0);
    expect(type === PROTOBUF ? readProtobuf(body) : JSON.parse(body.toString())).toEqual(lease);
  });

  it('with a field that has no number in protobuf has a body in JSON, and loses nothing', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, encoded(lease));
    const body = { ...lease, spec: { ...lease.spec, ofTomorrow: 1 } };
    await call({ verb: 'update', path: LEASE, body });
    expect(JSON.parse(seen[0]?.body.toString() ?? '')).toEqual(body);
  });
});

describe('an object with fields of a newer server', () => {
  const unknown = Buffer.from([0x9a, 0x3e, 1, 120]);
  const newer = (
    object: object,
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  ): Buffer => {
    const whole = encoded(object);
    const known = whole.subarray(whole.length - messageLength(object));
    return inEnvelope({ apiVersion, kind }, Buffer.concat([known, unknown]));
  };
  const messageLength = (object: object): number => {
    const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
    // The envelope is the magic bytes, the type, and the tag and length of the message, which is short.
    return encoded(object).length - inEnvelope({ apiVersion, kind }, Buffer.alloc(0)).length;
  };

  it('is read in JSON if the agent writes the object back, so that nothing is lost', async () => {
    const whole = { ...lease, ofTomorrow: 'x' };
    handler = ({ accept }, response) =>
      accept.includes(PROTOBUF)
        ? send(response, PROTOBUF, newer(lease, lease))
        : send(response, JSON_TYPE, JSON.stringify(whole));
    expect(await call({ path: LEASE })).toEqual({ ok: true, value: whole });
    await call({ verb: 'update', path: LEASE, body: whole });
    expect(JSON.parse(seen.at(-1)?.body.toString() ?? '')).toEqual(whole);
  });

  it('is read without those fields if the agent only patches the object', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, newer(pod('b'), pod('b')));
    expect(await call()).toEqual({ ok: true, value: pod('b') });
    expect(seen).toHaveLength(1);
  });
});

describe('a watch in protobuf', () => {
  const events = (...names: readonly string[]): Buffer =>
    Buffer.concat(names.map((name) => protobufEvent({ type: 'ADDED', object: pod(name) })));

  it('delivers its events in order, however they are cut', async () => {
    const stream = events('a', 'b', 'c');
    handler = (_asked, response) => {
      response.writeHead(200, { 'content-type': WATCH });
      response.write(stream.subarray(0, 70), () => response.end(stream.subarray(70)));
    };
    const { events: read, fault } = await watched();
    expect(read).toEqual(['a', 'b', 'c'].map((name) => ({ type: 'ADDED', object: pod(name) })));
    expect(fault).toBeUndefined();
    expect(forms).toEqual(['pods protobuf']);
  });

  it('that is answered in JSON delivers its events too', async () => {
    handler = (_asked, response) =>
      send(response, JSON_TYPE, `${JSON.stringify({ type: 'ADDED', object: pod('a') })}\n`);
    expect(await watched()).toEqual({ events: [{ type: 'ADDED', object: pod('a') }], fault: undefined });
    expect(forms).toEqual(['pods json']);
  });

  it.each([406, 415])(
    'that the server refuses with %i follows in JSON at once, unnoticed by its listener',
    async (code) => {
      handler = ({ accept }, response) =>
        accept.includes(PROTOBUF)
          ? send(response, JSON_TYPE, JSON.stringify(status(code, 'NotAcceptable')), code)
          : send(response, JSON_TYPE, `${JSON.stringify({ type: 'ADDED', object: pod('a') })}\n`);
      expect(await watched()).toEqual({ events: [{ type: 'ADDED', object: pod('a') }], fault: undefined });
      expect(seen.map(({ accept }) => accept)).toEqual([`${PROTOBUF},${JSON_TYPE}`, JSON_TYPE]);
    },
  );

  it('that is refused has the reason of the status', async () => {
    handler = (_asked, response) => send(response, PROTOBUF, encoded(status(410, 'Expired')), 410);
    const { fault } = await watched();
    expect(fault).toEqual({ kind: 'refused', code: 410, reason: 'Expired', message: 'because of Expired' });
  });

  it.each([
    { what: 'a length beyond all bounds', garbage: Buffer.from('{"type":"ADDED"}') },
    { what: 'a frame that is no event', garbage: Buffer.from([0, 0, 0, 2, 1, 1]) },
    { what: 'an empty frame', garbage: Buffer.alloc(4) },
  ])('with $what ends after its earlier events, and the next is asked for in JSON', async ({ garbage }) => {
    handler = ({ accept }, response) =>
      accept.includes(PROTOBUF)
        ? void response
            .writeHead(200, { 'content-type': WATCH })
            .write(Buffer.concat([events('a'), garbage, events('b')]))
        : send(response, JSON_TYPE, `${JSON.stringify({ type: 'ADDED', object: pod('b') })}\n`);
    const { events: read, fault } = await watched();
    expect(read).toEqual([{ type: 'ADDED', object: pod('a') }]);
    expect(fault).toMatchObject({ kind: 'unreadable' });
    expect(await watched()).toEqual({ events: [{ type: 'ADDED', object: pod('b') }], fault: undefined });
  });

  it('that breaks within a frame loses only that frame, and is not the fault of protobuf', async () => {
    handler = (_asked, response) => send(response, WATCH, Buffer.concat([events('a'), events('b').subarray(0, 20)]));
    const { events: read, fault } = await watched();
    expect(read).toHaveLength(1);
    expect(fault).toMatchObject({ kind: 'unreachable' });
    await watched();
    expect(seen.every(({ accept }) => accept.includes(PROTOBUF))).toBe(true);
  });

  it('with a damaged object leaves out that object alone, by its name', async () => {
    const good = protobufEvent({ type: 'MODIFIED', object: pod('bad') });
    const damaged = Buffer.from(good);
    // The last byte before the version's text is its length.
    damaged[good.lastIndexOf('5') - 1] = 90;
    handler = (_asked, response) => send(response, WATCH, Buffer.concat([events('a'), damaged, events('b')]));
    const { events: read, fault } = await watched();
    expect(fault).toBeUndefined();
    expect(read.map(({ object }) => whyUnread(object) !== undefined)).toEqual([false, true, false]);
    expect(read[1]?.object).toMatchObject({ metadata: { name: 'bad', uid: 'bad' } });
  });

  it('with an object that is too large leaves out that object alone, by its name', async () => {
    const annotations = { long: 'x'.repeat(MOST_OBJECT_BYTES) };
    const large = protobufEvent({
      type: 'ADDED',
      object: { ...pod('bad'), metadata: { ...pod('bad').metadata, annotations } },
    });
    handler = (_asked, response) => send(response, WATCH, Buffer.concat([events('a'), large, events('b')]));
    const { events: read, fault } = await watched();
    expect(fault).toBeUndefined();
    expect(read.map(({ object }) => whyUnread(object))).toEqual([
      undefined,
      `has more than ${MOST_OBJECT_BYTES} bytes`,
      undefined,
    ]);
    expect(read[1]?.object).toMatchObject({ metadata: { name: 'bad', uid: 'bad' } });
  });
});
