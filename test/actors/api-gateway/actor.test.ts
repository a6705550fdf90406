import type { WatchNotice } from '../../../actors/api-gateway/protocol.ts';
import { addressOf, type Listener } from '../../../src/actor/messages/message.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiGateway, type OpenWatch } from '../../../actors/api-gateway/actor.ts';
import type { ApiGatewayProtocol } from '../../../actors/api-gateway/protocol.ts';
import { defaultUnderWay } from '../../../actors/api-gateway/call-queue.ts';
import type { ApiOutcome, ApiPriority, ApiRequest } from '../../../src/api/api-request.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { fakeApiTransport } from '../../support/fake-api-transport.ts';

const OK = { ok: true, value: {} } as const;
const AWAY = { ok: false, fault: { kind: 'unreachable', message: 'connection refused' } } as const;
const answered: string[] = [];
const metrics = {
  observe: ({ verb }: { verb: string }) => void answered.push(verb),
  retried: () => void answered.push('retry'),
  waited() {},
};

let health: ApiOutcome<unknown> | undefined;
async function gateway() {
  const api = fakeApiTransport(({ path }) => (path === '/version' ? health : undefined));
  const watches = new Map<string, OpenWatch>();
  const test = await actorUnderTest<ApiGatewayProtocol>({
    address: 'api-gateway',
    others: { 'status-manager': () => undefined, reflector: () => undefined },
    make: (context) =>
      new ApiGateway(context, {
        transport: api.transport,
        watches,
        limits: {
          calls: { perSecond: 10, burst: 100 },
          events: { perSecond: 1, burst: 1 },
          reviews: { perSecond: 1, burst: 1 },
          underWay: defaultUnderWay,
          waiting: 3,
        },
        metrics,
        listeners: [addressOf('status-manager')],
        server: 'https://api',
      }),
  });
  return { ...test, api, call: (path: string, more: Partial<ApiRequest> = {}) => test.ask(called(path, more)) };
}
const called = (path: string, more: Partial<ApiRequest>) => ({
  type: 'call' as const,
  request: { verb: 'get' as const, path, priority: 'object' as ApiPriority, ...more },
  timeoutMs: 30_000,
});

beforeEach(() => {
  health = OK;
  answered.length = 0;
});

describe('the API gateway', () => {
  it('makes a call and answers with its outcome', async () => {
    const { call, api, quiet } = await gateway();
    const outcome = call('/a');
    await quiet();
    api.to('/a')[0]?.answer(OK);
    expect(await outcome).toEqual(OK);
  });

  it('retries a call that the server asks to retry, within the caller’s deadline, and counts the retry', async () => {
    const { call, api, quiet, pass } = await gateway();
    const outcome = call('/a', { verb: 'create' });
    await quiet();
    api
      .to('/a')[0]
      ?.answer({ ok: false, fault: { kind: 'refused', code: 429, reason: '', message: '', retryAfterMs: 5_000 } });
    await pass(4_999);
    expect(api.to('/a')).toHaveLength(1);
    await pass(1);
    expect(api.to('/a')[1]?.timeoutMs).toBe(25_000);
    api.to('/a')[1]?.answer(OK);
    expect(await outcome).toEqual(OK);
    expect(answered.filter((each) => each === 'retry')).toHaveLength(1);
  });

  it('rejects a call when the queue is full', async () => {
    const { call, quiet } = await gateway();
    const outcomes = Array.from({ length: defaultUnderWay.object + 4 }, (_, index) => call(`/${index}`));
    await quiet();
    expect(await outcomes.at(-1)).toMatchObject({ ok: false, fault: { kind: 'not-sent' } });
  });

  it('drops a call that waited too long for its turn', async () => {
    const { call, quiet, pass, api } = await gateway();
    const outcomes = Array.from({ length: defaultUnderWay.object + 1 }, (_, index) => call(`/${index}`));
    await quiet();
    await pass(46_000);
    api.to('/0')[0]?.answer(OK);
    expect(await outcomes.at(-1)).toMatchObject({ ok: false, fault: { kind: 'not-sent' } });
    expect(api.to(`/${defaultUnderWay.object}`)).toEqual([]);
  });
});

describe('an outage of ten minutes', () => {
  it('is logged and announced once at its start and end, and calls fail at once in between', async () => {
    const { call, api, quiet, pass, take, logged } = await gateway();
    take('status-manager');
    health = AWAY;
    const first = call('/a', { verb: 'create' });
    await quiet();
    api.to('/a')[0]?.answer(AWAY);
    await first;
    await pass(600_000);
    expect(take('status-manager')).toMatchObject([{ type: 'api-health-changed', health: { state: 'down' } }]);
    const before = api.sent.length;
    expect(await call('/b')).toMatchObject({ ok: false, fault: { kind: 'unreachable' } });
    expect(api.sent.length).toBe(before);
    health = OK;
    await pass(2_000);
    expect(take('status-manager')).toMatchObject([{ type: 'api-health-changed', health: { state: 'up' } }]);
    expect(logged.filter((line) => line.startsWith('error:'))).toHaveLength(1);
    expect(logged.filter((line) => line.includes('the API server answers'))).toHaveLength(2);
  });

  it('is checked once a second, and lease calls are still made', async () => {
    health = AWAY;
    const { call, api, quiet, pass } = await gateway();
    await pass(60_000);
    const checks = api.to('/version').length;
    expect(checks).toBeGreaterThan(50);
    expect(checks).toBeLessThan(65);
    const lease = call('/lease', { priority: 'lease', verb: 'update' });
    await quiet();
    api.to('/lease')[0]?.answer(OK);
    expect(await lease).toEqual(OK);
  });

  it('is not announced after one broken connection', async () => {
    const { call, api, quiet, take } = await gateway();
    take('status-manager');
    const outcome = call('/a', { verb: 'create' });
    await quiet();
    api.to('/a')[0]?.answer(AWAY);
    await outcome;
    await quiet();
    expect(take('status-manager')).toEqual([]);
  });
});

describe('a watch through the gateway', () => {
  const open = {
    type: 'open-watch',
    watch: 'pods',
    path: '/pods',
    subscriber: addressOf<Listener<WatchNotice>>('reflector'),
  } as const;

  it('sends its subscriber each event, and its end once', async () => {
    const { tell, api, quiet, take } = await gateway();
    await tell(open);
    const events = [{ type: 'ADDED', object: {} } as const];
    api.watches[0]?.listener.events(events);
    api.watches[0]?.listener.ended(undefined);
    await quiet();
    expect(take('reflector')).toEqual([
      { type: 'watch-events', watch: 'pods', events },
      { type: 'watch-ended', watch: 'pods', fault: undefined },
    ]);
  });

  it('is closed when it is opened again or its subscriber has ended', async () => {
    const { tell, api } = await gateway();
    await tell(open);
    await tell(open);
    expect(api.watches.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await tell({ type: 'close-watch', watch: 'pods', subscriber: addressOf<Listener<WatchNotice>>('reflector') });
    expect(api.watches.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it('ends when the gateway restarts, and its subscriber is notified', async () => {
    const { tell, api, crash, pass, take } = await gateway();
    await tell(open);
    await crash();
    await pass(10_000);
    expect(api.watches[0]?.isClosed).toBe(true);
    expect(take('reflector')).toMatchObject([{ type: 'watch-ended', watch: 'pods', fault: { kind: 'not-sent' } }]);
  });
});
