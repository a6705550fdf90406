import { describe, expect, it } from 'vitest';
import {
  afterRun,
  beginProbe,
  firstRunAt,
  hasStarted,
  madeAt,
  mayRun,
  newVerdicts,
  nextRunAt,
  startInstant,
  type FirstRun,
} from '../../../actors/probe-manager/state.ts';
import type { ProbeKind } from '../../../actors/probe-manager/protocol.ts';
import type { ProbeVerdict } from '../../../src/pod/values/probe-readiness.ts';
import type { ProbeOutcome } from '../../../src/probing/probe-outcome.ts';

type Result = ProbeOutcome['result'];
const short = { s: 'success', f: 'failure', w: 'warning', e: 'error', u: 'unheard' } as const;

/** Runs one after the other: `ffs` is two failures and a success. */
function verdictAfter(kind: ProbeKind, runs: string, thresholds: { success?: number; failure?: number } = {}) {
  const { success = 1, failure = 3 } = thresholds;
  let state = beginProbe(kind, undefined);
  for (const letter of runs) {
    const result: Result = short[letter as keyof typeof short];
    state = afterRun(state, result, { kind, successThreshold: success, failureThreshold: failure });
  }
  return state;
}

describe('a verdict', () => {
  it.each([
    { rule: 'of readiness is a failure before anything is known', kind: 'readiness', runs: '', verdict: 'failure' },
    { rule: 'of liveness is a success before anything is known', kind: 'liveness', runs: '', verdict: 'success' },
    { rule: 'of startup is absent at first', kind: 'startup', runs: '', verdict: undefined },
    {
      rule: 'succeeds after as many successes in a row as the threshold',
      kind: 'readiness',
      runs: 's',
      success: 2,
      verdict: 'failure',
    },
    { rule: 'succeeds with the last of them', kind: 'readiness', runs: 'ss', success: 2, verdict: 'success' },
    {
      rule: 'starts counting again after the opposite result',
      kind: 'readiness',
      runs: 'sfs',
      success: 2,
      verdict: 'failure',
    },
    {
      rule: 'fails after as many failures in a row as the threshold',
      kind: 'readiness',
      runs: 'sff',
      verdict: 'success',
    },
    { rule: 'fails with the last of them', kind: 'readiness', runs: 'sfff', verdict: 'failure' },
    { rule: 'is not changed by a run that could not be made', kind: 'readiness', runs: 'sffe', verdict: 'success' },
    { rule: 'counts on after such a run', kind: 'readiness', runs: 'sffeuf', verdict: 'failure' },
    { rule: 'counts a warning as a success', kind: 'readiness', runs: 'w', verdict: 'success' },
    { rule: 'of startup needs its failures too', kind: 'startup', runs: 'ff', verdict: undefined },
  ] as const)('$rule', ({ kind, runs, verdict, ...rest }) => {
    const success = 'success' in rest ? rest.success : 1;
    expect(verdictAfter(kind, runs, { success }).verdict).toBe(verdict);
  });

  it.each([
    { rule: 'startup has succeeded', kind: 'startup', runs: 's', onHold: true },
    { rule: 'startup has failed', kind: 'startup', runs: 'fff', onHold: true },
    { rule: 'startup is not known', kind: 'startup', runs: 'ff', onHold: false },
    { rule: 'liveness has failed', kind: 'liveness', runs: 'fff', onHold: true },
    { rule: 'liveness has succeeded', kind: 'liveness', runs: 'ffs', onHold: false },
    { rule: 'readiness has failed', kind: 'readiness', runs: 'fff', onHold: false },
  ] as const)('is final for this instance ($onHold) when $rule', ({ kind, runs, onHold }) => {
    expect(verdictAfter(kind, runs).onHold).toBe(onHold);
  });

  it.each([
    { kind: 'readiness', known: 'success', verdict: 'success', onHold: false },
    { kind: 'startup', known: 'success', verdict: 'success', onHold: true },
    { kind: 'liveness', known: 'failure', verdict: 'failure', onHold: true },
    { kind: 'liveness', known: 'success', verdict: 'success', onHold: false },
    { kind: 'readiness', known: 'unknown', verdict: 'failure', onHold: false },
  ] as const)('continues from the saved verdict: $kind $known', ({ kind, known, verdict, onHold }) => {
    expect(beginProbe(kind, known)).toEqual({ verdict, last: undefined, inARow: 0, onHold });
  });
});

describe('startup', () => {
  it.each([
    { kind: 'startup', started: false, runs: true },
    { kind: 'startup', started: true, runs: false },
    { kind: 'liveness', started: false, runs: false },
    { kind: 'readiness', started: true, runs: true },
  ] as const)('comes first: $kind runs ($runs) while started is $started', ({ kind, started, runs }) => {
    expect(mayRun(kind, started)).toBe(runs);
  });

  it('is done at once without a startup probe', () => {
    expect(hasStarted([{ kind: 'liveness' }], undefined)).toBe(true);
    expect(hasStarted([{ kind: 'startup' }], undefined)).toBe(false);
    expect(hasStarted([{ kind: 'startup' }], 'success')).toBe(true);
  });
});

describe('the first run', () => {
  const at = (parts: Partial<FirstRun['spec']> & Partial<Omit<FirstRun, 'spec'>>): number => {
    const { kind = 'readiness', initialDelaySeconds = 0, periodSeconds = 10, ...rest } = parts;
    return firstRunAt({
      startedAt: 100_000,
      spec: { kind, initialDelaySeconds, periodSeconds },
      now: 100_500,
      bornAt: 50_000,
      chance: 0.5,
      afterStartup: false,
      ...rest,
    });
  };

  it.each([
    { rule: 'of readiness starts at once', parts: {}, due: 100_500 },
    { rule: 'of liveness starts a period after the container', parts: { kind: 'liveness' }, due: 110_000 },
    {
      rule: 'of startup starts a period after the container',
      parts: { kind: 'startup', periodSeconds: 1 },
      due: 101_000,
    },
    { rule: 'waits for the initial delay, counted from the start', parts: { initialDelaySeconds: 5 }, due: 105_000 },
    { rule: 'starts with the end of the startup probe', parts: { kind: 'liveness', afterStartup: true }, due: 100_500 },
    {
      rule: 'of a container from before a restart is spread over the period',
      parts: { kind: 'liveness', bornAt: 100_400 },
      due: 105_500,
    },
    {
      rule: 'and waits for its initial delay as well',
      parts: { kind: 'liveness', bornAt: 100_400, initialDelaySeconds: 30 },
      due: 130_000,
    },
  ] as const)('$rule', ({ parts, due }) => {
    expect(at(parts)).toBe(due);
  });

  it.each([
    { rule: 'some time ago', startedAt: 997_000, instant: 2_000 },
    { rule: 'now, when the clock was set back since', startedAt: 4_600_000, instant: 5_000 },
  ])('counts from a start $rule', ({ startedAt, instant }) => {
    expect(startInstant(startedAt, { now: () => 1_000_000, monotonic: () => 5_000 })).toBe(instant);
  });
});

describe('the next run', () => {
  it('is a period after the last one was due, or at once when that has passed', () => {
    expect(nextRunAt(1_000, 10, 1_200)).toBe(11_000);
    expect(nextRunAt(1_000, 10, 14_000)).toBe(14_000);
  });
});

describe('probes that are due at about the same time', () => {
  it.each([
    [1_000, 1_000],
    [1_001, 1_050],
    [1_049, 1_050],
  ])('are made together, never early: %i ms → %i ms', (dueAt, at) => {
    expect(madeAt(dueAt)).toBe(at);
  });
});

describe('verdicts that a worker does not know yet', () => {
  it.each([
    { known: 'success', told: undefined, kind: 'readiness', news: ['success'] },
    { known: 'success', told: 'success', kind: 'readiness', news: [] },
    { known: 'failure', told: undefined, kind: 'readiness', news: [] },
    { known: 'failure', told: 'success', kind: 'readiness', news: ['failure'] },
    { known: 'success', told: undefined, kind: 'liveness', news: [] },
    { known: undefined, told: 'success', kind: 'startup', news: [] },
  ] as const satisfies readonly {
    known: ProbeVerdict | undefined;
    told: ProbeVerdict | undefined;
    kind: ProbeKind;
    news: readonly string[];
  }[])('$kind $known, told $told', ({ known, told, kind, news }) => {
    const found = newVerdicts([[kind, known]], told === undefined ? {} : { [kind]: told });
    expect(found.map(([, verdict]) => verdict)).toEqual(news);
  });
});
