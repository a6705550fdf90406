import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterCrash,
  type CrashHistory,
  type RestartRule,
  type Verdict,
} from '../../../src/actor/supervision/restart-budget.ts';

const rule: RestartRule = {
  budget: { atMost: 3, withinMs: 60_000 },
  backOff: { initialMs: 50, maxMs: 150 },
  whenSpent: 'escalate',
};
const keepTrying: RestartRule = { ...rule, whenSpent: 'keep-trying' };
const restartIn = (afterMs: number): Verdict => ({ type: 'restart', afterMs });
const NOW = 100_000;

describe('a supervisor judging a crash', () => {
  it.each([
    { says: 'restarts at once after the first', earlier: [], given: {}, verdict: restartIn(0) },
    { says: 'waits after the second in a row', earlier: [NOW - 10], given: {}, verdict: restartIn(50) },
    { says: 'doubles the delay with each', earlier: [NOW - 20, NOW - 10], given: {}, verdict: restartIn(100) },
    {
      says: 'escalates one crash beyond the budget',
      earlier: [NOW - 3, NOW - 2, NOW - 1],
      given: {},
      verdict: { type: 'escalate' },
    },
    {
      says: 'forgets what lies before its window',
      earlier: [NOW - 60_001, NOW - 60_002],
      given: {},
      verdict: restartIn(0),
    },
    { says: 'remembers what lies just within it', earlier: [NOW - 60_000], given: {}, verdict: restartIn(50) },
    { says: 'never restarts a boot death at once', earlier: [], given: { booting: true }, verdict: restartIn(50) },
    { says: 'caps the delay', earlier: [NOW - 2, NOW - 1], given: { booting: true }, verdict: restartIn(150) },
    { says: 'adds up to a tenth by chance', earlier: [NOW - 1], given: { chance: 0.5 }, verdict: restartIn(53) },
  ] satisfies Case[])('$says', ({ earlier, given, verdict }) => {
    expect(afterCrash(earlier, { at: NOW, booting: false, chance: 0, ...given }, rule).verdict).toEqual(verdict);
  });

  it('continues at the longest delay with the rule `keep trying`', () => {
    const earlier = [NOW - 3, NOW - 2, NOW - 1];
    expect(afterCrash(earlier, { at: NOW, booting: false, chance: 0 }, keepTrying).verdict).toEqual(restartIn(150));
  });

  it('keeps a bounded history while it keeps trying', () => {
    let history: CrashHistory = [];
    for (let at = 0; at < 1000; at++)
      history = afterCrash(history, { at, booting: false, chance: 0 }, keepTrying).history;
    expect(history).toHaveLength(keepTrying.budget.atMost + 1);
  });

  interface Case {
    readonly says: string;
    readonly earlier: CrashHistory;
    readonly given: { readonly booting?: boolean; readonly chance?: number };
    readonly verdict: Verdict;
  }
});

describe('for any crashes', () => {
  const anyRule = fc.record({
    budget: fc.record({ atMost: fc.integer({ min: 0, max: 8 }), withinMs: fc.integer({ min: 1, max: 10_000 }) }),
    backOff: fc.record({ initialMs: fc.integer({ min: 0, max: 100 }), maxMs: fc.integer({ min: 0, max: 2_000 }) }),
    whenSpent: fc.constantFrom('escalate' as const, 'keep-trying' as const),
  });
  const anyCrash = fc.record({
    gapMs: fc.integer({ min: 0, max: 3_000 }),
    booting: fc.boolean(),
    chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });

  it('a supervisor never restarts more often within its window than its budget allows', () => {
    fc.assert(
      fc.property(anyRule, fc.array(anyCrash, { maxLength: 60 }), (any, crashes) => {
        const escalating: RestartRule = { ...any, whenSpent: 'escalate' };
        const restarts: number[] = [];
        let history: CrashHistory = [];
        let at = 0;
        for (const { gapMs, ...crash } of crashes) {
          at += gapMs;
          const judged = afterCrash(history, { at, ...crash }, escalating);
          if (judged.verdict.type === 'escalate') return;
          history = judged.history;
          restarts.push(at);
          const recent = restarts.filter((then) => at - then <= any.budget.withinMs);
          expect(recent.length).toBeLessThanOrEqual(any.budget.atMost);
        }
      }),
    );
  });

  it('delays are capped, and a boot death never restarts at once', () => {
    fc.assert(
      fc.property(anyRule, fc.array(anyCrash, { maxLength: 40 }), (any, crashes) => {
        let history: CrashHistory = [];
        let at = 0;
        for (const { gapMs, ...crash } of crashes) {
          at += gapMs;
          const judged = afterCrash(history, { at, ...crash }, any);
          history = judged.history;
          if (judged.verdict.type === 'escalate') continue;
          expect(judged.verdict.afterMs).toBeLessThanOrEqual(Math.max(1, Math.round(any.backOff.maxMs * 1.1)));
          expect(judged.verdict.afterMs).toBeGreaterThanOrEqual(crash.booting ? 1 : 0);
        }
      }),
    );
  });

  it('delays of crashes in quick succession never shrink', () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: 1, max: 20 }), (any, crashes) => {
        let history: CrashHistory = [];
        let before = 0;
        for (let crash = 0; crash < crashes; crash++) {
          const capped: RestartRule = { ...any, backOff: { ...any.backOff, maxMs: 2_000 }, whenSpent: 'keep-trying' };
          const judged = afterCrash(history, { at: 0, booting: false, chance: 0 }, capped);
          history = judged.history;
          const delay = judged.verdict.type === 'restart' ? judged.verdict.afterMs : Infinity;
          expect(delay).toBeGreaterThanOrEqual(before);
          before = delay;
        }
      }),
    );
  });
});
