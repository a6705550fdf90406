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

/** What a supervisor knows of one child's crashes. Instants are on a monotonic scale. */
export type CrashHistory = readonly number[];

export interface RestartRule {
  readonly budget: RestartBudget;
  readonly backOff: RestartBackOff;
  /**
   * `escalate`: a child that cannot be kept alive brings its parent down, which may mend what a restart cannot.
   * `keep-trying`: it is tried again at the longest delay, for ever; for children that must not harm their siblings.
   */
  readonly whenSpent: 'escalate' | 'keep-trying';
}

/**
 * Judges a crash. `booting`: the child died before it was ready, so even the first restart waits, lest it loop.
 * `chance` in [0, 1) spreads restarts that would otherwise come together: up to a tenth is added.
 */
export function afterCrash(
  history: CrashHistory,
  crash: { readonly at: number; readonly booting: boolean; readonly chance: number },
  rule: RestartRule,
): { readonly history: CrashHistory; readonly verdict: Verdict } {
  const recent = [...history.filter((at) => crash.at - at <= rule.budget.withinMs), crash.at];
  const spent = recent.length > rule.budget.atMost;
  if (spent && rule.whenSpent === 'escalate') return { history: recent, verdict: { type: 'escalate' } };
  // One more than the budget is all that is ever needed to know that it is spent.
  const kept = recent.slice(-(rule.budget.atMost + 1));
  const inARow = kept.length - 1 + (crash.booting ? 1 : 0);
  const delay = spent ? rule.backOff.maxMs : inARow === 0 ? 0 : backOffMs(inARow, rule.backOff);
  // Even a rule without delays must not let a boot loop run inside one turn of the event loop.
  const atLeast = crash.booting ? 1 : 0;
  const afterMs = Math.max(atLeast, Math.round(delay * (1 + crash.chance / 10)));
  return { history: kept, verdict: { type: 'restart', afterMs } };
}
