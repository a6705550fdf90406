import { describe, expect, it } from 'vitest';
import type { Dispatcher } from 'undici';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import { CallHandler } from '../../src/api/transport/call-handler.ts';
import type { WatchEvent } from '../../src/api/api-transport.ts';
import { whyTooDeep, whyUnread } from '../../src/api/unread-object.ts';
import { MOST_OBJECT_BYTES, WatchHandler } from '../../src/api/transport/watch-handler.ts';
import { manualClock } from '../support/manual-clock.ts';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const controller: Dispatcher.DispatchController = { abort() {} } as unknown as Dispatcher.DispatchController;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The events of a watch for these bytes, and its end, if it ended. */
function watched(...chunks: readonly string[]) {
  const events: WatchEvent[] = [];
  const ends: unknown[] = [];
  const handler = new WatchHandler({
    path: '/api/v1/pods',
    idleMs: 1_000,
    clock: manualClock(),
    codec: undefined,
    begun() {},
    events: (some) => void events.push(...some),
    ended: ({ fault }) => void ends.push(fault),
  });
  handler.onResponseStart(controller, 200, {});
  for (const chunk of chunks) handler.onResponseData(controller, Buffer.from(chunk));
  return { events, ends };
}

/** The outcome of a call with this answer. */
function answered(verb: 'get' | 'list', body: readonly string[], code = 200): ApiOutcome<unknown> | undefined {
  let outcome: ApiOutcome<unknown> | undefined;
  const handler = new CallHandler({
    request: { verb, path: '/api/v1/pods', priority: 'object' },
    timeoutMs: 1_000,
    clock: manualClock(),
    codec: undefined,
    resolve: (answer) => void (outcome = answer.outcome),
  });
  handler.onRequestStart(controller);
  handler.onResponseStart(controller, code, JSON_TYPE);
  for (const part of body) handler.onResponseData(controller, Buffer.from(part));
  handler.onResponseEnd();
  return outcome;
}

const line = (metadata: object, more = ''): string =>
  `{"type":"ADDED","object":{"metadata":${JSON.stringify(metadata)}${more}}}\n`;

describe('a watch event', () => {
  it('nested too deeply is left out alone, and known by its name', () => {
    const bad = line({ name: 'bad', namespace: 'shop', uid: 'u', resourceVersion: '7' }, `,"spec":${nested(5_000)}`);
    const { events, ends } = watched(line({ name: 'a' }) + bad + line({ name: 'b' }));
    expect(ends).toEqual([]);
    expect(events.map(({ object }) => whyUnread(object))).toEqual([
      undefined,
      'is nested more than 100 deep',
      undefined,
    ]);
    expect(events[1]).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'bad', namespace: 'shop', uid: 'u', resourceVersion: '7' } },
    });
    expect(() => structuredClone(events)).not.toThrow();
  });

  it('that is too large is left out alone, and reported by its name', () => {
    const beginning = line({ name: 'bad', namespace: 'shop', uid: 'u' }, ',"spec":"').slice(0, -3);
    const chunk = 'x'.repeat(1024 * 1024);
    const chunks = Array.from({ length: MOST_OBJECT_BYTES / chunk.length + 1 }, () => chunk);
    const { events, ends } = watched(line({ name: 'a' }), beginning, ...chunks, `"}}\n${line({ name: 'b' })}`);
    expect(ends).toEqual([]);
    expect(events.map(({ object }) => whyUnread(object))).toEqual([
      undefined,
      `has more than ${MOST_OBJECT_BYTES} bytes`,
      undefined,
    ]);
    expect(events[1]?.object).toMatchObject({ metadata: { name: 'bad', namespace: 'shop', uid: 'u' } });
  });
});

describe('an answer to a call', () => {
  it('nested too deeply fails that call', () => {
    expect(answered('get', [`{"metadata":{},"spec":${nested(100_000)}}`])).toMatchObject({
      ok: false,
      fault: { kind: 'unreadable', message: 'get /api/v1/pods: the answer is nested more than 100 deep' },
    });
  });

  it('of a list leaves out only items nested too deeply', () => {
    const items = `{"metadata":{"name":"a"}},{"metadata":{"name":"bad"},"spec":${nested(5_000)}}`;
    const outcome = answered('list', [`{"metadata":{"resourceVersion":"5"},"items":[${items}]}`]);
    const read = outcome?.ok === true ? (outcome.value as { readonly items: readonly object[] }).items : [];
    expect(read.map(whyUnread)).toEqual([undefined, 'is nested more than 100 deep']);
    expect(read[1]).toMatchObject({ metadata: { name: 'bad' } });
  });

  it('of a list nested too deeply beside its items fails that call', () => {
    expect(answered('list', [`{"metadata":${nested(5_000)},"items":[]}`])).toMatchObject({
      ok: false,
      fault: { kind: 'unreadable' },
    });
  });

  it('that is too large fails that call', () => {
    const part = 'x'.repeat(1024 * 1024);
    const parts = Array.from({ length: MOST_OBJECT_BYTES / part.length + 1 }, () => part);
    expect(answered('get', parts)).toMatchObject({
      ok: false,
      fault: { kind: 'unreadable', message: expect.stringContaining('larger than') as string },
    });
  });

  it('with an error is read in part, and its message is shortened', () => {
    const status = JSON.stringify({ kind: 'Status', code: 500, message: 'no '.repeat(10_000) });
    const outcome = answered('get', [status], 500);
    expect(outcome).toMatchObject({ ok: false, fault: { kind: 'refused', code: 500 } });
    expect(outcome?.ok === false ? outcome.fault.message.length : 0).toBeLessThan(1_100);
    // A long error is truncated, so it is not a `Status` any more.
    const long = JSON.stringify({ kind: 'Status', code: 500, message: 'x'.repeat(200_000) });
    const parts = long.match(/.{1,20000}/g) ?? [];
    expect(answered('get', parts, 500)).toMatchObject({
      ok: false,
      fault: { message: expect.stringMatching(/^the server answered 500: .{200}… \(\d+ more characters\)$/) as string },
    });
  });

  it.each([5, {}, ['a']])('with a reason that is not text (%j) has the default reason', (reason) => {
    const status = JSON.stringify({ kind: 'Status', reason, message: reason, details: null });
    expect(answered('get', [status], 404)).toMatchObject({ ok: false, fault: { reason: 'NotFound' } });
  });
});

it('the depth of a value is found without recursion', () => {
  expect(whyTooDeep(JSON.parse(nested(100)))).toBeUndefined();
  expect(whyTooDeep(JSON.parse(nested(101)))).toBe('is nested more than 100 deep');
  expect(whyTooDeep(JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`))).toBeDefined();
});
