import { describe, expect, it } from 'vitest';
import { callProblem } from './compare-calls.ts';
import { eventProblem, type SeenEvent } from './compare-events.ts';
import { statusProblem } from './compare-statuses.ts';
import { noLiberties, type Liberties } from './liberties.ts';
import { realTimeOf } from './real-time.ts';
import type { ContainerEntry, ExpectedEvent, ExpectedStatus, Span, StatusEntry } from './scenario.ts';

const realTime: Liberties = { ...noLiberties, any: true, realTime: { longerHooks: new Map(), isBackOffShort: true } };
const virtualTime: Liberties = { ...noLiberties, any: true };

const UNREADY = 'False/ContainersNotReady/containers with unready status: [main]';
const podWith = (main: ContainerEntry, phase = 'Running'): StatusEntry => {
  const Ready = main.ready === true ? 'True' : UNREADY;
  return { phase, ip: true, conditions: { Ready, ContainersReady: Ready }, containers: { main } };
};
const told = (restarts: number, last: string | undefined) => ({
  ...(last !== undefined && { last }),
  ...(restarts > 0 && { restarts }),
});
const up = (restarts: number, last?: string): StatusEntry =>
  podWith({ state: 'running', ready: true, started: true, ...told(restarts, last) });
const ended = (state: string, restarts: number, last?: string): StatusEntry =>
  podWith({ state, started: false, ...told(restarts, last) });
const at = (t: Span, entry: StatusEntry): ExpectedStatus => ({ ...entry, t });

const FAILED = 'terminated/Error/1';
const looping = [
  at([0, 0.1], up(0)),
  at([1, 1.5], ended(FAILED, 0)),
  at([2, 2.5], up(1, FAILED)),
  at([3, 3.5], ended(FAILED, 1, FAILED)),
  at([4, 4.5], up(2, FAILED)),
];
const slow = looping.map((entry, index) => at([index * 10, index * 10 + 0.5], entry));

describe('a container that ends repeatedly, in real time', () => {
  it.each<{ what: string; recorded?: ExpectedStatus[]; seen: StatusEntry[]; isRight: boolean }>([
    { what: 'as recorded', seen: looping, isRight: true },
    {
      what: 'an end overtaken by the next start',
      seen: [up(0), up(1, FAILED), looping[3]!, up(2, FAILED)],
      isRight: true,
    },
    { what: 'a run overtaken by its end', seen: [up(0), looping[1]!, looping[3]!, up(2, FAILED)], isRight: true },
    { what: 'another exit code', seen: [up(0), ended('terminated/Error/2', 0), ...looping.slice(2)], isRight: false },
    {
      what: 'another exit code as last',
      seen: [up(0), up(1, 'terminated/Error/2'), ...looping.slice(3)],
      isRight: false,
    },
    { what: 'one restart too few', seen: looping.slice(0, 4), isRight: false },
    { what: 'one restart too many', seen: [...looping, up(3, FAILED)], isRight: false },
    { what: 'a restart count that jumps', seen: [up(0), up(2, FAILED)], isRight: true },
    { what: 'runs in the wrong order', seen: [up(0), up(2, FAILED), up(1, FAILED), up(2, FAILED)], isRight: false },
    { what: 'a missed end that lasted', recorded: slow, seen: slow.toSpliced(1, 1), isRight: false },
    { what: 'a missed run that lasted', recorded: slow, seen: slow.toSpliced(2, 1), isRight: false },
    {
      what: 'a last end that is not reported',
      seen: looping.slice(0, 3),
      recorded: looping.slice(0, 4),
      isRight: false,
    },
  ])('$what: $isRight', ({ recorded = looping, seen, isRight }) => {
    expect(statusProblem(recorded, seen, { liberties: realTime }) === undefined).toBe(isRight);
  });

  it('must be seen step by step in virtual time', () => {
    expect(statusProblem(looping, looping.toSpliced(1, 1), { liberties: virtualTime })).toBeDefined();
  });
});

describe('an end that the recording shows only as the last state of the next run', () => {
  const recorded = [up(0), up(1, FAILED)];
  it.each<{ what: string; seen: StatusEntry[]; isRight: boolean }>([
    { what: 'may be reported when it happens', seen: [up(0), ended(FAILED, 0), up(1, FAILED)], isRight: true },
    {
      what: 'must have the same exit code',
      seen: [up(0), ended('terminated/Completed/0', 0), up(1, FAILED)],
      isRight: false,
    },
    { what: 'does not count as a restart yet', seen: [up(0), ended(FAILED, 1), up(1, FAILED)], isRight: false },
    {
      what: 'does not end the pod',
      seen: [up(0), { ...ended(FAILED, 0), phase: 'Failed' }, up(1, FAILED)],
      isRight: false,
    },
    { what: 'must be followed by the next run', seen: [up(0), ended(FAILED, 0)], isRight: false },
  ])('$what', ({ seen, isRight }) => {
    expect(statusProblem(recorded, seen, { liberties: realTime }) === undefined).toBe(isRight);
    expect(statusProblem(recorded, seen, { liberties: virtualTime })).toBeDefined();
  });
});

describe('a grace period after a hook that took longer than recorded', () => {
  const hook = { call: 'ExecSync main#0 "hook-pre"', took: [0.5, 0.5] } as const;
  const steps = [hook, 'StopContainer main#0 grace=10'];
  it.each<{ what: string; stop: string; waits?: number; isRight: boolean }>([
    { what: 'as recorded', stop: 'StopContainer main#0 grace=10', isRight: true },
    { what: 'a second less', stop: 'StopContainer main#0 grace=9', isRight: true },
    { what: 'two seconds less', stop: 'StopContainer main#0 grace=8', isRight: false },
    { what: 'more', stop: 'StopContainer main#0 grace=11', isRight: false },
    { what: 'another run', stop: 'StopContainer main#1 grace=9', isRight: false },
    { what: 'two less on a busy machine', stop: 'StopContainer main#0 grace=8', waits: 1_500, isRight: true },
    { what: 'two less on a quiet machine', stop: 'StopContainer main#0 grace=8', waits: 0, isRight: false },
  ])('$what: $isRight', ({ stop, waits, isRight }) => {
    const ended = waits === undefined ? 2_200 : 1_500;
    const waited = waits === undefined ? undefined : () => waits;
    const calls = [
      { pod: 'a', method: 'ExecSync', container: 'main', text: hook.call, began: 1_000, ended },
      { pod: 'a', method: 'StopContainer', container: 'main', text: stop, began: ended + 500, ended: undefined },
    ];
    const liberties: Liberties = {
      ...realTime,
      realTime: realTimeOf({ kubelet: {}, expected: { calls: { a: steps } } }, 'a', { calls, waited }),
    };
    expect(callProblem(steps, [hook.call, stop], liberties) === undefined).toBe(isRight);
  });
});

describe('an event about the back-off of a restart', () => {
  const put = (name: string, what: string): SeenEvent => ({
    type: 'Warning',
    reason: 'BackOff',
    field: `spec.containers{${name}}`,
    message: `Back-off ${what}`,
  });
  const kubelet = (maxContainerRestartPeriod: string) => ({ crashLoopBackOff: { maxContainerRestartPeriod } });
  const restart = put('main', 'restarting failed container main in pod a');
  it.each([
    { what: 'for a second at most', event: restart, kubelet: kubelet('1s'), isRight: true },
    { what: 'for longer', event: restart, kubelet: kubelet('5s'), isRight: false },
    { what: 'for the usual time', event: restart, kubelet: {}, isRight: false },
    {
      what: 'of another container',
      event: put('side', 'restarting failed container side in pod a'),
      kubelet: kubelet('1s'),
      isRight: false,
    },
    { what: 'for an image', event: put('main', 'pulling image "a"'), kubelet: kubelet('1s'), isRight: false },
  ])('$what may be missing: $isRight', ({ event, kubelet, isRight }) => {
    const ofTime = realTimeOf({ kubelet, expected: { calls: {} } }, 'a', { calls: [] });
    const liberties: Liberties = { ...realTime, restarted: new Set(['main']), realTime: ofTime };
    expect(eventProblem([event as ExpectedEvent], [], liberties) === undefined).toBe(isRight);
  });
});
