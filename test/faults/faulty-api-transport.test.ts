import { describe, expect, it } from 'vitest';
import { apiResourceOf } from '../../src/api/api-path.ts';
import type { ApiFault, ApiOutcome } from '../../src/api/api-request.ts';
import type { WatchEvent } from '../../src/api/api-transport.ts';
import type { FaultRule } from '../../src/faults/fault-plan.ts';
import { ThreadFaults } from '../../src/faults/thread-faults.ts';
import { fakeApiTransport } from '../support/fake-api-transport.ts';
import { manualClock, settled } from '../support/manual-clock.ts';
import { orderOf } from './plan-support.ts';

const POD = '/api/v1/namespaces/shop/pods/web';

/** A server that answers everything at once, and a client under this rule. */
function faultyServer(rule: Omit<FaultRule, 'when'> & Partial<FaultRule>) {
  const clock = manualClock();
  const api = fakeApiTransport(() => ({ ok: true, value: {} }));
  const fail = (): never => {
    throw new Error('no thread was to fail');
  };
  const faults = new ThreadFaults({ thread: 'node', clock, provoke: fail, spin: fail, block: fail });
  const transport = faults.apiTransport(api.transport);
  faults.apply([orderOf([rule])]);
  const outcomes: ApiOutcome<unknown>[] = [];
  const call = async (verb: 'get' | 'patch' | 'create', path: string): Promise<void> => {
    void transport.call({ verb, path, priority: 'object' }, 1_000).then((outcome) => outcomes.push(outcome));
    await settled();
  };
  const watch = () => {
    const events: WatchEvent[] = [];
    const ends: (ApiFault | undefined)[] = [];
    transport.watch('/api/v1/pods?watch=true', {
      events: (some) => void events.push(...some),
      ended: (fault) => void ends.push(fault),
    });
    return { events, ends };
  };
  return { clock, api, faults, outcomes, call, watch };
}

describe('faults of API calls', () => {
  it.each([
    { apiVerb: 'GET', apiResource: 'pods', hits: true },
    { apiVerb: 'get', hits: true },
    { apiResource: 'pods*', hits: true },
    { apiVerb: 'PATCH', apiResource: 'pods', hits: false },
    { apiVerb: 'get', apiResource: 'pods/status', hits: false },
  ] as const)('fails where $apiVerb $apiResource fits a get of a pod: $hits', async ({ hits, ...match }) => {
    const { call, outcomes } = faultyServer({ match: { at: 'api', ...match }, action: { type: 'error', code: '429' } });
    await call('get', POD);
    expect(outcomes[0]?.ok).toBe(!hits);
  });

  it.each([
    { code: '410', fault: { kind: 'refused', code: 410, reason: 'Expired' } },
    { code: 'unreachable', fault: { kind: 'unreachable' } },
  ] as const)('answers with $code without asking the server', async ({ code, fault }) => {
    const { call, outcomes, api } = faultyServer({ match: { at: 'api' }, action: { type: 'error', code } });
    await call('create', POD);
    expect(outcomes).toMatchObject([{ ok: false, fault }]);
    expect(api.sent).toEqual([]);
  });

  it('delay a call, which reduces its remaining time', async () => {
    const { call, clock, api } = faultyServer({ match: { at: 'api' }, action: { type: 'delay', delayMs: 300 } });
    await call('get', POD);
    expect(api.sent).toEqual([]);
    await clock.advanceAndSettle(300);
    expect(api.sent[0]?.timeoutMs).toBe(700);
  });

  it('release hanging calls when the plan ends', async () => {
    const { call, faults, outcomes } = faultyServer({ match: { at: 'api' }, action: { type: 'hang' } });
    await call('get', POD);
    expect(outcomes).toEqual([]);
    faults.apply([]);
    await settled();
    expect(outcomes).toEqual([{ ok: true, value: {} }]);
  });

  it('lose an answer after the call has had its effect', async () => {
    const { call, clock, api, outcomes } = faultyServer({
      match: { at: 'api' },
      action: { type: 'drop', lose: 'answer' },
    });
    await call('patch', POD);
    expect(api.sent).toHaveLength(1);
    await clock.advanceAndSettle(1_000);
    expect(outcomes).toMatchObject([{ ok: false, fault: { kind: 'timed-out' } }]);
  });

  it('reject a watch, and no calls', async () => {
    const { watch, call, outcomes } = faultyServer({
      match: { at: 'api', apiVerb: 'watch' },
      action: { type: 'error', code: '410' },
    });
    const { ends } = watch();
    await call('get', POD);
    expect(ends).toMatchObject([{ kind: 'refused', code: 410 }]);
    expect(outcomes).toMatchObject([{ ok: true }]);
  });

  it('lose, duplicate or corrupt events of a watch', async () => {
    const event = (name: string): WatchEvent => ({ type: 'ADDED', object: { name } });
    const match = { at: 'api', apiVerb: 'watch-event' } as const;
    const lost = faultyServer({ match, when: { nth: 1 }, action: { type: 'drop' } });
    const one = lost.watch();
    lost.api.watches[0]?.listener.events([event('a'), event('b')]);
    expect(one.events).toEqual([event('b')]);
    const spoilt = faultyServer({ match, when: { nth: 2 }, action: { type: 'error', code: 'unreadable' } });
    const two = spoilt.watch();
    spoilt.api.watches[0]?.listener.events([event('a'), event('b'), event('c')]);
    expect(two).toMatchObject({ events: [event('a')], ends: [{ kind: 'unreadable' }] });
    expect(spoilt.api.watches[0]?.isClosed).toBe(true);
  });
});

describe('the resource of a path', () => {
  it.each([
    [POD, 'pods'],
    [`${POD}/status?fieldManager=x`, 'pods/status'],
    ['/api/v1/pods?watch=true', 'pods'],
    ['/api/v1/nodes/a/status', 'nodes/status'],
    ['/api/v1/namespaces/shop', 'namespaces'],
    ['/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a', 'leases'],
    ['/version', '/version'],
  ])('%s: %s', (path, resource) => {
    expect(apiResourceOf(path)).toBe(resource);
  });
});
