import type { ExecResult, Outcome } from './outcome.ts';
import type { ExecRule, Outcomes } from './script.ts';

/** Returns the outcome of the n-th call (from 0): one per call; the last one repeats for ever. */
export function nthOutcome<O extends Outcome>(outcomes: Outcomes<O>, n: number): O {
  return outcomes[Math.min(n, outcomes.length - 1)] ?? outcomes[0];
}

/** Returns the outcome for an instance of this age: the last one whose age is reached, or the first before that. */
export function outcomeAtAge(rule: Extract<ExecRule, { by: 'age' }>, ageMs: number): ExecResult {
  const at = rule.agesMs.findLastIndex((age) => age <= ageMs);
  return nthOutcome(rule.results, Math.max(at, 0));
}

/** Counts the consumed items of each list. Keys name the counted object: a pod's sandbox, a container's start. */
export class OutcomeCounters {
  readonly #taken = new Map<string, number>();

  take<O extends Outcome>(key: string, outcomes: Outcomes<O>): O {
    // A list of one needs no count: a script for thousands of short-lived pods leaves no counters behind.
    if (outcomes.length === 1) return outcomes[0];
    const n = this.#taken.get(key) ?? 0;
    // Past the last item nothing changes.
    if (n < outcomes.length) this.#taken.set(key, n + 1);
    return nthOutcome(outcomes, n);
  }
}
