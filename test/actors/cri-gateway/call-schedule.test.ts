import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterCheck,
  CallSchedule,
  countsForMs,
  defaultLaneLimits,
  scheduled,
  singleFlightKey,
  type LaneLimits,
  type Released,
  type ScheduledCall,
} from '../../../actors/cri-gateway/call-schedule.ts';
import type { CriCall, RuntimeFacts, RuntimeHealth } from '../../../actors/cri-gateway/protocol.ts';
import { lanes, type CriMethodName } from '../../../src/cri/methods.ts';

let lastId = 0;
/** A call by the worker of `pod`. */
function call(method: CriMethodName, pod?: string, rest: Partial<CriCall> = {}): ScheduledCall {
  const request = new Uint8Array();
  const caller = `pod-worker/${pod ?? 'none'}`;
  const named = pod === undefined ? {} : { podUid: pod };
  return scheduled(++lastId, {
    type: 'call',
    method,
    request,
    caller,
    incarnation: 1,
    timeoutMs: 1_000,
    ...named,
    ...rest,
  });
}

const limits = (rest: Partial<LaneLimits>): LaneLimits => ({ ...defaultLaneLimits, ...rest });
const ids = (released: readonly Released[]): number[] => released.map(({ call }) => call.id);

describe('the schedule of calls', () => {
  it('makes a call at once while its lane is free, and the next when one settles', () => {
    const schedule = new CallSchedule(limits({ start: 2 }));
    const [one, two, three] = [call('RunPodSandbox', 'a'), call('RunPodSandbox', 'b'), call('RunPodSandbox', 'c')];
    expect(ids(schedule.offer(one))).toEqual([one.id]);
    expect(ids(schedule.offer(two))).toEqual([two.id]);
    expect(ids(schedule.offer(three))).toEqual([]);
    expect(schedule.waiting).toBe(1);
    expect(ids(schedule.settled(two.id))).toEqual([three.id]);
    expect(schedule.underWay).toBe(2);
  });

  it.each([
    { slow: 'PullImage', urgent: 'StopContainer' },
    { slow: 'RunPodSandbox', urgent: 'StopContainer' },
    { slow: 'ContainerStatus', urgent: 'ListContainers' },
    { slow: 'ContainerStatus', urgent: 'ListPodSandbox' },
    { slow: 'ExecSync', urgent: 'ContainerStatus' },
    { slow: 'ListImages', urgent: 'ContainerStatus' },
    { slow: 'RemoveContainer', urgent: 'StopPodSandbox' },
    { slow: 'PullImage', urgent: 'CreateContainer' },
  ] satisfies { slow: CriMethodName; urgent: CriMethodName }[])(
    'never has $urgent wait for any number of $slow',
    ({ slow, urgent }) => {
      const schedule = new CallSchedule(defaultLaneLimits);
      for (let count = 0; count < 1_000; count++) schedule.offer(call(slow, 'a'));
      const next = call(urgent, 'a');
      expect(ids(schedule.offer(next))).toEqual([next.id]);
    },
  );

  it('keeps the order of calls within a lane, so of a pod', () => {
    const schedule = new CallSchedule(limits({ remove: 1 }));
    const calls = ['a', 'b', 'a', 'a', 'b'].map((pod) => call('RemoveContainer', pod));
    const order = calls.flatMap((each) => ids(schedule.offer(each)));
    for (const id of order) order.push(...ids(schedule.settled(id)));
    expect(order).toEqual(calls.map(({ id }) => id));
  });

  it('makes the more urgent lane’s call first when a fence falls', () => {
    const schedule = new CallSchedule(limits({ start: 1, stop: 1 }));
    const busy = [call('StopContainer', 'a'), call('StartContainer', 'a')];
    for (const each of busy) schedule.adopt(each);
    const start = call('StartContainer', 'b');
    const stop = call('StopContainer', 'b');
    schedule.offer(start);
    schedule.offer(stop);
    expect(ids([...schedule.settled(busy[0]?.id ?? 0), ...schedule.settled(busy[1]?.id ?? 0)])).toEqual([
      stop.id,
      start.id,
    ]);
  });

  it.each([
    { method: 'RunPodSandbox', unanswered: 1, what: 'one more call is made', goes: 1 },
    { method: 'RunPodSandbox', unanswered: 2, what: 'as many calls are made as the lane allows', goes: 2 },
    { method: 'StopContainer', unanswered: 2, what: 'stop calls continue', goes: 2 },
    { method: 'ListContainers', unanswered: 2, what: 'list calls continue', goes: 2 },
    { method: 'PullImage', unanswered: 1, what: 'another image is pulled', goes: 1 },
    { method: 'ExecSync', unanswered: 2, what: 'as many calls are made as the lane allows', goes: 2 },
  ] satisfies { method: CriMethodName; unanswered: number; what: string; goes: number }[])(
    'with $unanswered of 2 calls of $method unanswered for long, $what',
    ({ method, unanswered, goes }) => {
      const schedule = new CallSchedule(limits({ start: 2, stop: 2, list: 2, pull: 2, probe: 2 }));
      const stuck = [call(method, 'a'), call(method, 'b')];
      for (const each of stuck) schedule.offer(each);
      const next = [call(method, 'c'), call(method, 'd'), call(method, 'e')];
      for (const each of next) expect(ids(schedule.offer(each))).toEqual([]);
      const gone = stuck.slice(0, unanswered).flatMap(({ id }) => ids(schedule.unanswered(id)));
      expect(gone).toEqual(next.slice(0, goes).map(({ id }) => id));
    },
  );

  it.each([
    { lane: 'start', ms: 10_000 },
    { lane: 'pull', ms: 60_000 },
    { lane: 'hook', ms: undefined },
  ] as const)('counts a call of the lane $lane for $ms ms', ({ lane, ms }) => {
    expect(countsForMs(lane)).toBe(ms);
  });

  it('never has more than four times the limit under way, even without any answer', () => {
    const schedule = new CallSchedule(limits({ start: 2 }));
    const calls = Array.from({ length: 20 }, (_, index) => call('StartContainer', `pod-${index}`));
    const sent = calls.flatMap((each) => ids(schedule.offer(each)));
    for (const id of sent) sent.push(...ids(schedule.unanswered(id)));
    expect(sent).toEqual(calls.slice(0, 8).map(({ id }) => id));
    // A late answer frees its place.
    expect(ids(schedule.settled(sent[0] ?? 0))).toEqual([calls[8]?.id]);
    expect(schedule.underWay).toBe(8);
  });

  it('stops counting a late call once it is answered', () => {
    const schedule = new CallSchedule(limits({ start: 1 }));
    const [stuck, next, last] = [call('StartContainer', 'a'), call('StartContainer', 'b'), call('StartContainer', 'c')];
    schedule.offer(stuck);
    schedule.offer(next);
    expect(ids(schedule.unanswered(stuck.id))).toEqual([next.id]);
    expect(ids(schedule.settled(stuck.id))).toEqual([]);
    expect(ids(schedule.unanswered(stuck.id))).toEqual([]);
    expect(ids(schedule.offer(last))).toEqual([]);
    expect(ids(schedule.settled(next.id))).toEqual([last.id]);
  });

  it('drops a call whose caller gave up before its turn', () => {
    const schedule = new CallSchedule(limits({ start: 1 }));
    const [busy, gone, next] = [call('StartContainer', 'a'), call('StartContainer', 'b'), call('StartContainer', 'c')];
    for (const each of [busy, gone, next]) schedule.offer(each);
    schedule.withdraw(gone);
    schedule.withdraw(busy);
    expect(schedule.waiting).toBe(1);
    expect(ids(schedule.settled(busy.id))).toEqual([next.id]);
  });

  it('ignores the end of an unknown call', () => {
    expect(new CallSchedule(defaultLaneLimits).settled(4711)).toEqual([]);
  });
});

describe('the fence between incarnations', () => {
  const later = { incarnation: 2 };
  it.each([
    { earlier: 'CreateContainer', next: 'CreateContainer', waits: true },
    { earlier: 'RunPodSandbox', next: 'CreateContainer', waits: true },
    { earlier: 'StopContainer', next: 'StartContainer', waits: true },
    { earlier: 'RemoveContainer', next: 'RunPodSandbox', waits: true },
    { earlier: 'PullImage', next: 'CreateContainer', waits: false },
    { earlier: 'ExecSync', next: 'CreateContainer', waits: false },
    { earlier: 'ContainerStatus', next: 'CreateContainer', waits: false },
    { earlier: 'CreateContainer', next: 'StopContainer', waits: false },
    { earlier: 'CreateContainer', next: 'StopPodSandbox', waits: false },
    { earlier: 'CreateContainer', next: 'RemoveContainer', waits: false },
    { earlier: 'CreateContainer', next: 'PullImage', waits: false },
    { earlier: 'CreateContainer', next: 'ContainerStatus', waits: false },
  ] satisfies { earlier: CriMethodName; next: CriMethodName; waits: boolean }[])(
    'after $earlier of an earlier one, $next of the same pod waits: $waits',
    ({ earlier, next, waits }) => {
      const schedule = new CallSchedule(defaultLaneLimits);
      const old = call(earlier, 'a');
      schedule.offer(old);
      const fresh = call(next, 'a', later);
      expect(ids(schedule.offer(fresh))).toEqual(waits ? [] : [fresh.id]);
      expect(schedule.settled(old.id)).toEqual(waits ? [{ call: fresh, heldBack: true }] : []);
    },
  );

  it.each([
    { who: 'another pod', next: call('CreateContainer', 'b', later) },
    { who: 'the same incarnation', next: call('CreateContainer', 'a') },
    // Incarnations of different actors have nothing to do with each other.
    { who: 'another caller', next: call('CreateContainer', 'a', { ...later, caller: 'someone-else' }) },
    { who: 'a call that belongs to no pod', next: call('CreateContainer', undefined, later) },
  ])('does not stop $who', ({ next }) => {
    const schedule = new CallSchedule(defaultLaneLimits);
    schedule.offer(call('CreateContainer', 'a'));
    expect(schedule.offer(next)).toEqual([{ call: next, heldBack: false }]);
  });

  it('falls with the last of the earlier calls', () => {
    const schedule = new CallSchedule(defaultLaneLimits);
    const old = [call('CreateContainer', 'a'), call('StopContainer', 'a')];
    for (const each of old) schedule.offer(each);
    const fresh = call('CreateContainer', 'a', later);
    schedule.offer(fresh);
    expect(ids(schedule.settled(old[0]?.id ?? 0))).toEqual([]);
    expect(ids(schedule.settled(old[1]?.id ?? 0))).toEqual([fresh.id]);
  });

  it('lets other calls of the lane overtake a fenced call', () => {
    const schedule = new CallSchedule(limits({ start: 2 }));
    schedule.offer(call('CreateContainer', 'a'));
    schedule.offer(call('CreateContainer', 'a', later));
    const other = call('CreateContainer', 'b', later);
    expect(ids(schedule.offer(other))).toEqual([other.id]);
  });

  it('holds against the same incarnation when an earlier gateway sent the call', () => {
    const schedule = new CallSchedule(defaultLaneLimits);
    const lost = call('CreateContainer', 'a');
    schedule.adopt(lost);
    const again = call('CreateContainer', 'a');
    expect(ids(schedule.offer(again))).toEqual([]);
    expect(schedule.settled(lost.id)).toEqual([{ call: again, heldBack: true }]);
  });

  it('counts adopted calls in their lane', () => {
    const schedule = new CallSchedule(limits({ pull: 1 }));
    const lost = call('PullImage', 'a');
    schedule.adopt(lost);
    const next = call('PullImage', 'b');
    expect(ids(schedule.offer(next))).toEqual([]);
    expect(ids(schedule.settled(lost.id))).toEqual([next.id]);
  });
});

describe('any series of calls', () => {
  const methods = ['StopContainer', 'CreateContainer', 'ContainerStatus', 'ExecSync', 'PullImage', 'RemoveContainer'];
  const step = fc.oneof(
    fc.record({
      method: fc.constantFrom(...(methods as CriMethodName[])),
      pod: fc.constantFrom('a', 'b', 'c'),
      incarnation: fc.integer({ min: 1, max: 3 }),
    }),
    fc.nat(1_000).map((settle) => ({ settle })),
  );
  const tight = Object.fromEntries(lanes.map((lane) => [lane, 2])) as LaneLimits;

  it('stays within every limit, loses no call, and makes every call once the others have settled', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const schedule = new CallSchedule(tight);
        const offered = new Set<number>();
        const left = new Map<number, ScheduledCall>();
        const seen: number[] = [];
        const take = (released: readonly Released[]): void => {
          for (const { call } of released) {
            seen.push(call.id);
            left.set(call.id, call);
          }
          for (const lane of lanes) {
            expect([...left.values()].filter((each) => each.lane === lane).length).toBeLessThanOrEqual(2);
          }
        };
        const settle = (id: number): void => {
          left.delete(id);
          take(schedule.settled(id));
        };
        for (const each of steps) {
          if ('settle' in each) {
            const id = [...left.keys()][each.settle % Math.max(1, left.size)];
            if (id !== undefined) settle(id);
            continue;
          }
          const next = call(each.method, each.pod, { incarnation: each.incarnation });
          offered.add(next.id);
          take(schedule.offer(next));
          expect(schedule.underWay + schedule.waiting).toBe(offered.size - (seen.length - left.size));
        }
        for (let id = [...left.keys()][0]; id !== undefined; id = [...left.keys()][0]) settle(id);
        expect(seen.toSorted((a, b) => a - b)).toEqual([...offered]);
        expect([schedule.underWay, schedule.waiting]).toEqual([0, 0]);
      }),
    );
  });
});

describe('single flight', () => {
  const asked = (method: CriMethodName, ...request: number[]): CriCall => ({
    type: 'call',
    method,
    request: Uint8Array.from(request),
    caller: 'pleg',
    incarnation: 1,
    timeoutMs: 1,
  });
  it.each([
    'ListContainers',
    'ListPodSandbox',
    'ListImages',
    'ImageFsInfo',
    'ImageStatus',
    'Version',
    'Status',
  ] as const)('makes one call of identical %s', (method) => {
    expect(singleFlightKey(asked(method, 1, 200))).toBe(singleFlightKey(asked(method, 1, 200)));
    expect(singleFlightKey(asked(method, 1, 200))).not.toBe(singleFlightKey(asked(method, 1, 201)));
  });

  it('distinguishes methods', () => {
    expect(singleFlightKey(asked('ListContainers'))).not.toBe(singleFlightKey(asked('ListPodSandbox')));
  });

  it.each(['CreateContainer', 'StopContainer', 'PullImage', 'ExecSync', 'ContainerStatus', 'RemoveImage'] as const)(
    'makes every %s',
    (method) => {
      expect(singleFlightKey(asked(method))).toBeUndefined();
    },
  );
});

describe('the health of the runtime after a check', () => {
  const facts: RuntimeFacts = { name: 'containerd', version: '2.1', runtimeReady: true, networkNotReady: '' };
  const fault = { code: 'UNAVAILABLE', detail: 'no connection' } as const;
  const up = (rest: Partial<RuntimeFacts> = {}): RuntimeHealth => ({
    state: 'up',
    since: 1,
    runtime: { ...facts, ...rest },
  });
  const down: RuntimeHealth = { state: 'down', since: 1, fault };
  const answers = (rest: Partial<RuntimeFacts> = {}) => ({ ok: true, facts: { ...facts, ...rest } }) as const;
  const fails = { ok: false, fault } as const;
  it.each([
    {
      rule: 'is known with the first answer',
      from: { state: 'connecting' },
      check: answers(),
      changed: true,
      since: 9,
    },
    { rule: 'is known with the first fault', from: { state: 'connecting' }, check: fails, changed: true, since: 9 },
    { rule: 'stays up without a notice', from: up(), check: answers(), changed: false, since: 1 },
    { rule: 'goes down', from: up(), check: fails, changed: true, since: 9 },
    { rule: 'stays down without a notice', from: down, check: fails, changed: false, since: 1 },
    { rule: 'comes back', from: down, check: answers(), changed: true, since: 9 },
    {
      rule: 'is announced when the network is lost',
      from: up(),
      check: answers({ networkNotReady: 'cni' }),
      changed: true,
      since: 1,
    },
    {
      rule: 'is announced when the network is back',
      from: up({ networkNotReady: 'cni' }),
      check: answers(),
      changed: true,
      since: 1,
    },
    {
      rule: 'is announced with a new version',
      from: up(),
      check: answers({ version: '2.2' }),
      changed: true,
      since: 1,
    },
    {
      rule: 'is announced with another runtime',
      from: up(),
      check: answers({ name: 'cri-o' }),
      changed: true,
      since: 1,
    },
    {
      rule: 'is announced when the runtime is not ready',
      from: up(),
      check: answers({ runtimeReady: false }),
      changed: true,
      since: 1,
    },
  ] satisfies {
    rule: string;
    from: RuntimeHealth;
    check: Parameters<typeof afterCheck>[1];
    changed: boolean;
    since: number;
  }[])('$rule', ({ from, check, changed, since }) => {
    const next = afterCheck(from, check, 9);
    expect(next.changed).toBe(changed);
    expect(next.health).toMatchObject(
      check.ok ? { state: 'up', since, runtime: check.facts } : { state: 'down', since, fault },
    );
  });
});
