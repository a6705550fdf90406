import type { MonotonicMs } from '../clock.ts';
import { backOffMs } from '../back-off.ts';

/** At most `atMost` restarts within `withinMs`; one more is too many. */
export interface RestartBudget {
  readonly atMost: number;
  readonly withinMs: number;
}

/** Delay before the n-th restart in a row: none for the first, then `initialMs` doubling up to `maxMs`. */
export interface RestartBackOff {
  readonly initialMs: number;
  readonly maxMs: number;
}

export type Verdict =
  | { readonly type: 'restart'; readonly afterMs: number }
  /** The budget is spent: the parent decides. */
  | { readonly type: 'escalate' };

/** A supervisor's record of one child's crashes. Instants are on a monotonic scale. */
export type CrashHistory = readonly MonotonicMs[];

export interface RestartRule {
  readonly budget: RestartBudget;
  readonly backOff: RestartBackOff;
  /**
   * `escalate`: a child that crashes too often brings its parent down, which may mend what a restart cannot.
   * `keep-trying`: the child is retried for ever at the longest delay; for children that must not harm their siblings.
   */
  readonly whenSpent: 'escalate' | 'keep-trying';
}

/**
 * Judges a crash. `booting`: the child died before it was ready, so even the first restart waits, to avoid a tight
 * loop. `chance` in [0, 1) spreads simultaneous restarts: it adds up to a tenth of the delay.
 */
export function afterCrash(
  history: CrashHistory,
  crash: { readonly at: MonotonicMs; readonly booting: boolean; readonly chance: number },
  rule: RestartRule,
): { readonly history: CrashHistory; readonly verdict: Verdict } {
  const recent = [...history.filter((at) => crash.at - at <= rule.budget.withinMs), crash.at];
  const spent = recent.length > rule.budget.atMost;
  if (spent && rule.whenSpent === 'escalate') return { history: recent, verdict: { type: 'escalate' } };
  // One entry more than the budget is enough to know that the budget is spent.
  const kept = recent.slice(-(rule.budget.atMost + 1));
  const inARow = kept.length - 1 + (crash.booting ? 1 : 0);
  const delay = spent ? rule.backOff.maxMs : inARow === 0 ? 0 : backOffMs(inARow, rule.backOff);
  // Even a rule without delays must not let a boot loop run inside one turn of the event loop.
  const atLeast = crash.booting ? 1 : 0;
  const afterMs = Math.max(atLeast, Math.round(delay * (1 + crash.chance / 10)));
  return { history: kept, verdict: { type: 'restart', afterMs } };
}
