import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from '../golden-runner/find-cases.ts';
import { readScenario } from '../golden-runner/lifecycle-case.ts';
import { callProblem } from './compare-calls.ts';
import { eventProblem } from './compare-events.ts';
import { statusProblem } from './compare-statuses.ts';
import { differencesFrom, problemsOf } from './judge-scenario.ts';
import { mayGoEarlier, noLiberties, type Liberties } from './liberties.ts';
import { playScenario } from './lifecycle-node.ts';
import type { StatusEntry } from './scenario.ts';

const faults = findCases(join(import.meta.dirname, '../golden/lifecycle-faults'));

describe('a recording of a faulty kubelet', () => {
  it.each(faults)('is not followed in the fault, but in all else: $name', async ({ path }) => {
    const scenario = readScenario(path);
    const played = await playScenario(scenario);
    expect(problemsOf(scenario, played)).toEqual([]);
    expect(differencesFrom(scenario, played)).not.toEqual([]);
  });
});

const may = (liberties: Partial<Liberties>): Liberties => ({ ...noLiberties, any: true, ...liberties });
const stop = (grace: number): string => `StopContainer main#0 grace=${grace}`;
const steps = [{ call: stop(12) }, { call: 'StopPodSandbox #0' }];

describe('an allowed difference in calls', () => {
  it.each([
    { what: 'less grace after a restart', seen: [stop(9)], liberties: { isRestarted: true }, isRight: true },
    { what: 'less grace without a restart', seen: [stop(9)], liberties: {}, isRight: false },
    { what: 'more grace after a restart', seen: [stop(13)], liberties: { isRestarted: true }, isRight: false },
    { what: 'no grace after a restart', seen: [stop(1)], liberties: { isRestarted: true }, isRight: false },
    { what: 'a second stop with less', seen: [stop(12), stop(3)], liberties: { isHurried: true }, isRight: true },
    { what: 'a second stop with as much', seen: [stop(12), stop(12)], liberties: { isHurried: true }, isRight: false },
    { what: 'a second stop without a second deletion', seen: [stop(12), stop(3)], liberties: {}, isRight: false },
    {
      what: 'no stop of a container that never ran',
      seen: [],
      liberties: { overtaken: new Set(['main']) },
      isRight: true,
    },
    { what: 'no stop of a container that ran', seen: [], liberties: {}, isRight: false },
  ])('$what: $isRight', ({ seen, liberties, isRight }) => {
    const problem = callProblem(steps, [...seen, 'StopPodSandbox #0'], may(liberties));
    expect(problem === undefined).toBe(isRight);
  });
});

const running = { state: 'running', started: true, ready: true };
const up: StatusEntry = { phase: 'Running', ip: true, conditions: { Ready: 'True' }, containers: { main: running } };
const unready: StatusEntry = {
  ...up,
  conditions: { Ready: 'False' },
  containers: { main: { state: 'running', started: true } },
};
const pending: StatusEntry = {
  phase: 'Pending',
  conditions: { Ready: 'False' },
  containers: { main: { state: 'waiting/ContainerCreating', started: false } },
};
const gone: StatusEntry = { gone: true };
const inHook: StatusEntry = {
  ...up,
  conditions: { Ready: 'False' },
  containers: { main: { state: 'running', started: false } },
};
const bare: StatusEntry = { phase: 'Pending' };
const hooked = { hooked: new Set(['main']) };

describe('an allowed difference in statuses', () => {
  it.each<{ what: string; recorded: StatusEntry[]; seen: StatusEntry[]; may: Partial<Liberties>; isRight: boolean }>([
    {
      what: 'ready stays over a restart',
      recorded: [up, unready, up],
      seen: [up],
      may: { isRestarted: true },
      isRight: true,
    },
    {
      what: 'ready stays where it must not',
      recorded: [up, unready, up, gone],
      seen: [up, gone],
      may: {},
      isRight: false,
    },
    {
      what: 'ready never comes back',
      recorded: [up, unready, up],
      seen: [up, unready],
      may: { isRestarted: true },
      isRight: false,
    },
    {
      what: 'running while its hook runs',
      recorded: [pending, { ...pending, deleting: 4 }, gone],
      seen: [pending, inHook, { ...pending, deleting: 4 }, gone],
      may: hooked,
      isRight: true,
    },
    {
      what: 'ready while its hook runs',
      recorded: [pending, { ...pending, deleting: 4 }, gone],
      seen: [pending, up, { ...pending, deleting: 4 }, gone],
      may: hooked,
      isRight: false,
    },
    {
      what: 'running without a hook where nothing runs',
      recorded: [pending, { ...pending, deleting: 4 }, gone],
      seen: [pending, inHook, { ...pending, deleting: 4 }, gone],
      may: {},
      isRight: false,
    },
    {
      what: 'readiness that lags behind a hook',
      recorded: [bare, up],
      seen: [bare, inHook, up],
      may: hooked,
      isRight: true,
    },
    { what: 'readiness that lags for ever', recorded: [bare, up], seen: [bare, inHook], may: hooked, isRight: false },
    {
      what: 'readiness that lags without a hook',
      recorded: [bare, up],
      seen: [bare, inHook, up],
      may: {},
      isRight: false,
    },
    {
      what: 'another phase while the hook runs',
      recorded: [bare, up],
      seen: [bare, { ...inHook, phase: 'Failed' }, up],
      may: hooked,
      isRight: false,
    },
    {
      what: 'readiness lost again after the hook',
      recorded: [bare, up, gone],
      seen: [bare, up, inHook, gone],
      may: hooked,
      isRight: false,
    },
  ])('$what: $isRight', ({ recorded, seen, may: liberties, isRight }) => {
    expect(statusProblem(recorded, seen, { liberties: may(liberties) }) === undefined).toBe(isRight);
  });
});

describe('what a restart of the agent excuses', () => {
  const recorded = [up, unready, up, { ...up, phase: 'Failed' }];
  it.each([
    { what: 'a moment left out after it', at: 5, isRight: true },
    { what: 'no moment left out before it', at: 1, isRight: false },
  ])('$what', ({ at, isRight }) => {
    const seen = [up, { ...up, phase: 'Failed' }];
    const liberties = may({ isRestarted: true });
    const problem = statusProblem(recorded, seen, { liberties, timeOf: () => at, restartedAt: 3 });
    expect(problem === undefined).toBe(isRight);
  });

  it.each([
    { what: 'less grace after it', isBeforeRestart: false, isRight: true },
    { what: 'no less grace before it', isBeforeRestart: true, isRight: false },
  ])('$what', ({ isBeforeRestart, isRight }) => {
    const seen = [{ text: stop(9), time: {}, isBeforeRestart }, 'StopPodSandbox #0'];
    expect(callProblem(steps, seen, may({ isRestarted: true })) === undefined).toBe(isRight);
  });
});

describe('a value that no rule names', () => {
  const deleted = { ...pending, deleting: 4 };
  it.each<{ what: string; seen: StatusEntry; may: Partial<Liberties>; isRight: boolean }>([
    {
      what: 'the phase of what is never started',
      seen: { ...deleted, phase: 'Failed' },
      may: { overtaken: new Set(['main']) },
      isRight: true,
    },
    {
      what: 'a reason of what is never started',
      seen: { ...deleted, reason: 'Odd' },
      may: { overtaken: new Set(['main']) },
      isRight: false,
    },
    {
      what: 'the end of a static pod',
      seen: { ...pending, phase: 'Failed', containers: { main: { state: 'terminated/Error/1', started: false } } },
      may: { isStatic: true },
      isRight: true,
    },
    {
      what: 'a message with the end of a static pod',
      seen: { ...pending, message: 'odd', containers: { main: { state: 'terminated/Error/1', started: false } } },
      may: { isStatic: true },
      isRight: false,
    },
  ])('is as recorded: $what: $isRight', ({ seen, may: liberties, isRight }) => {
    const recorded = seen.deleting === undefined ? [pending, gone] : [pending, deleted, gone];
    expect(statusProblem(recorded, [pending, seen, gone], { liberties: may(liberties) }) === undefined).toBe(isRight);
  });
});

describe('a deletion that may be done earlier than recorded', () => {
  it.each<{ what: string; may: Partial<Liberties>; isEarlier: boolean }>([
    { what: 'of a pod of which nothing was started', may: { isUnstarted: true }, isEarlier: true },
    { what: 'of a pod whose hook need not be awaited', may: { isInHook: true }, isEarlier: true },
    { what: 'of a pod whose hook has returned', may: { hooked: new Set(['main']) }, isEarlier: false },
    { what: 'that was asked for again', may: { isHurried: true }, isEarlier: true },
    { what: 'of any other pod', may: { isStatic: true, restarted: new Set(['main']) }, isEarlier: false },
  ])('$what: $isEarlier', ({ may: liberties, isEarlier }) => {
    expect(mayGoEarlier(may(liberties))).toBe(isEarlier);
  });
});

describe('an allowed difference in events', () => {
  const backOff = { type: 'Warning', reason: 'BackOff', field: 'spec.containers{main}', message: 'Back-off' };
  it.each([
    { restarted: ['main'], isRight: true },
    { restarted: ['other'], isRight: false },
    { restarted: [], isRight: false },
  ])('a back-off, if $restarted has restarted: $isRight', ({ restarted, isRight }) => {
    expect(eventProblem([], [backOff], may({ restarted: new Set(restarted) })) === undefined).toBe(isRight);
  });
});
