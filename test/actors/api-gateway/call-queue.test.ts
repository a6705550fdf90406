import { describe, expect, it } from 'vitest';
import {
  afterHealthCheck,
  CallQueue,
  defaultUnderWay,
  isIdempotent,
  rateOf,
  retryAfterMs,
  type Attempt,
  type GatewayLimits,
} from '../../../actors/api-gateway/call-queue.ts';
import type { ApiFault, ApiPriority, ApiRequest } from '../../../src/api/api-request.ts';

const limits = (change: Partial<GatewayLimits> = {}): GatewayLimits => ({
  calls: { perSecond: 10, burst: 2 },
  events: { perSecond: 1, burst: 1 },
  reviews: { perSecond: 5, burst: 2 },
  underWay: defaultUnderWay,
  waiting: 100,
  ...change,
});

const offered = (queue: CallQueue<string>, calls: readonly (readonly [ApiPriority, string])[]): void => {
  for (const [priority, name] of calls) queue.offer(priority, name);
};

describe('the order of calls', () => {
  it('is lease, status, object, event, and by arrival within one priority', () => {
    const queue = new CallQueue<string>(limits({ calls: { perSecond: 10, burst: 10 } }), 0);
    offered(queue, [
      ['event', 'e'],
      ['object', 'o1'],
      ['status', 's'],
      ['object', 'o2'],
      ['lease', 'l'],
    ]);
    expect(queue.take(0).calls).toEqual(['l', 's', 'o1', 'o2', 'e']);
  });

  it('makes a lease call when the token bucket is empty', () => {
    const queue = new CallQueue<string>(limits(), 0);
    offered(queue, [
      ['status', '1'],
      ['status', '2'],
      ['status', '3'],
    ]);
    queue.take(0);
    queue.offer('lease', 'l');
    expect(queue.take(0).calls).toEqual(['l']);
  });

  it('gives reviews of clients a rate of their own, apart from all other calls', () => {
    const queue = new CallQueue<string>(limits(), 0);
    offered(
      queue,
      Array.from({ length: 4 }, (_, index) => ['review', `r${index}`] as const),
    );
    expect(queue.take(0)).toEqual({ calls: ['r0', 'r1'], againInMs: 200 });
    offered(queue, [
      ['status', 's'],
      ['object', 'o1'],
      ['object', 'o2'],
    ]);
    expect(queue.take(0)).toEqual({ calls: ['s', 'o1'], againInMs: 100 });
    expect(queue.take(100).calls).toEqual(['o2']);
    expect(queue.take(200).calls).toEqual(['r2']);
  });

  it('returns when the next call may be made, and makes it then', () => {
    const queue = new CallQueue<string>(limits(), 0);
    offered(queue, [
      ['status', '1'],
      ['status', '2'],
      ['status', '3'],
    ]);
    expect(queue.take(0)).toEqual({ calls: ['1', '2'], againInMs: 100 });
    expect(queue.take(99).calls).toEqual([]);
    expect(queue.take(100).calls).toEqual(['3']);
  });

  it('gives objects one turn in five while statuses never end', () => {
    const queue = new CallQueue<string>(limits({ calls: { perSecond: 10, burst: 10 } }), 0);
    for (let each = 0; each < 20; each += 1)
      offered(queue, [
        ['status', 's'],
        ['object', 'o'],
      ]);
    expect(queue.take(0).calls.join('')).toBe('ssssosssso');
  });

  it('gives events tokens of their own', () => {
    const queue = new CallQueue<string>(limits({ calls: { perSecond: 10, burst: 1 } }), 0);
    offered(queue, [
      ['status', '1'],
      ['status', '2'],
      ['event', 'e'],
    ]);
    expect(queue.take(0).calls).toEqual(['1', 'e']);
  });

  it('keeps connections free for statuses when all object calls hang', () => {
    const queue = new CallQueue<string>(limits({ calls: { perSecond: 1_000, burst: 1_000 } }), 0);
    for (let each = 0; each < 100; each += 1) queue.offer('object', `o${each}`);
    expect(queue.take(0).calls).toHaveLength(defaultUnderWay.object);
    queue.offer('status', 's');
    expect(queue.take(0).calls).toEqual(['s']);
    queue.settled('object');
    expect(queue.take(0).calls).toHaveLength(1);
  });

  it('rejects calls above its limit', () => {
    const queue = new CallQueue<string>(limits({ waiting: 1 }), 0);
    expect(queue.offer('event', '1')).toBe(true);
    expect(queue.offer('event', '2')).toBe(false);
    expect(queue.offer('object', '1')).toBe(true);
  });

  it('reads a rate of 0 as Kubernetes clients do', () => {
    expect(rateOf(0, 0)).toEqual({ perSecond: 5, burst: 10 });
  });
});

const refused = (code: number, retryAfter?: number): ApiFault => ({
  kind: 'refused',
  code,
  reason: '',
  message: '',
  ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
});
const request = (verb: ApiRequest['verb'], more: Partial<ApiRequest> = {}): ApiRequest => ({
  verb,
  path: '/api/v1/namespaces/a/pods',
  priority: 'object',
  ...more,
});
const unreachable: ApiFault = { kind: 'unreachable', message: '' };

describe('a call that failed', () => {
  it.each<{ rule: string; attempt: Partial<Attempt>; waits: number | undefined }>([
    {
      rule: '429: any call is retried',
      attempt: { request: request('create'), fault: refused(429) },
      waits: 250,
    },
    { rule: '429: the retry waits for Retry-After', attempt: { fault: refused(429, 3_000) }, waits: 3_000 },
    {
      rule: '429: no retry after the caller’s deadline',
      attempt: { fault: refused(429, 30_000) },
      waits: undefined,
    },
    { rule: '500: a read is retried', attempt: { fault: refused(500) }, waits: 250 },
    {
      rule: '500: a create is not retried',
      attempt: { request: request('create'), fault: refused(500) },
      waits: undefined,
    },
    {
      rule: '503 with Retry-After: a create is retried',
      attempt: { request: request('create'), fault: refused(503, 1_000) },
      waits: 1_000,
    },
    { rule: 'later attempts wait longer', attempt: { fault: refused(500), attempts: 3 }, waits: 1_000 },
    { rule: 'the number of attempts is limited', attempt: { fault: refused(500), attempts: 6 }, waits: undefined },
    { rule: 'a broken connection is retried once, at once', attempt: { fault: unreachable }, waits: 0 },
    {
      rule: 'a broken connection is retried only once',
      attempt: { fault: unreachable, attempts: 2 },
      waits: undefined,
    },
    {
      rule: 'a create on a broken connection is not retried: it may have had its effect',
      attempt: { request: request('create'), fault: unreachable },
      waits: undefined,
    },
    { rule: 'a conflict is returned to the caller', attempt: { fault: refused(409) }, waits: undefined },
    {
      rule: 'a timeout is returned to the caller',
      attempt: { fault: { kind: 'timed-out', message: '' } },
      waits: undefined,
    },
  ])('$rule', ({ attempt, waits }) => {
    const whole: Attempt = { request: request('get'), fault: refused(500), attempts: 1, leftMs: 10_000, ...attempt };
    expect(retryAfterMs(whole, () => 0)).toBe(waits);
  });

  it('is retried with jitter', () => {
    const attempt = { request: request('get'), fault: refused(429, 4_000), attempts: 1, leftMs: 60_000 };
    expect(retryAfterMs(attempt, () => 0.5)).toBe(4_500);
  });

  it.each([
    { request: request('patch', { patchType: 'json' }), is: false },
    { request: request('patch', { patchType: 'strategic-merge' }), is: true },
    { request: request('create', { path: '/api/v1/namespaces/a/serviceaccounts/b/token' }), is: true },
    { request: request('delete'), is: true },
  ])('is safe to repeat or not: $request.verb $request.patchType $request.path', ({ request, is }) => {
    expect(isIdempotent(request)).toBe(is);
  });
});

describe('the health of the server', () => {
  const down = { state: 'down', since: 5, fault: unreachable } as const;
  it.each([
    {
      rule: 'an answer means up',
      before: { state: 'connecting' },
      outcome: { ok: true, value: {} },
      after: { state: 'up', since: 9 },
    },
    {
      rule: 'a rejection counts as an answer',
      before: down,
      outcome: { ok: false, fault: refused(401) },
      after: { state: 'up', since: 9 },
    },
    {
      rule: 'a server that is not ready counts as down',
      before: { state: 'up', since: 1 },
      outcome: { ok: false, fault: refused(503) },
      after: { state: 'down', since: 9, fault: refused(503) },
    },
    { rule: 'an outage begins once', before: down, outcome: { ok: false, fault: refused(503) }, after: down },
  ] as const)('$rule', ({ before, outcome, after }) => {
    expect(afterHealthCheck(before, outcome, 9)).toEqual({ health: after, changed: before !== after });
  });
});
