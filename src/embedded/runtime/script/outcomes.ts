import type { ExecResult, Outcome } from './outcome.ts';
import type { ExecRule, Outcomes } from './script.ts';

/** The outcome of the n-th call (from 0): one per call, and the last one for ever. */
export function nthOutcome<O extends Outcome>(outcomes: Outcomes<O>, n: number): O {
  return outcomes[Math.min(n, outcomes.length - 1)] ?? outcomes[0];
}

/** The outcome for an instance of this age: the last one whose age has come, or the first before that. */
export function outcomeAtAge(rule: Extract<ExecRule, { by: 'age' }>, ageMs: number): ExecResult {
  const at = rule.agesMs.findLastIndex((age) => age <= ageMs);
  return nthOutcome(rule.results, Math.max(at, 0));
}

/** Remembers how far each list has been consumed. Keys name what is counted: a pod's sandbox, a container's start. */
export class OutcomeCounters {
  readonly #taken = new Map<string, number>();

  take<O extends Outcome>(key: string, outcomes: Outcomes<O>): O {
    // A list of one needs no count: so a script for thousands of pods that come and go leaves nothing behind.
    if (outcomes.length === 1) return outcomes[0];
    const n = this.#taken.get(key) ?? 0;
    // Past the last item nothing changes any more.
    if (n < outcomes.length) this.#taken.set(key, n + 1);
    return nthOutcome(outcomes, n);
  }
}
