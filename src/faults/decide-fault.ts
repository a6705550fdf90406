import { seededRandom } from '../actor/random.ts';
import type { FaultWhen } from './fault-plan.ts';

/** One match of a rule, in numbers. */
export interface MatchFacts {
  /** The plan's seed. */
  readonly seed: number;
  /** The index of the rule in its plan, from 0. */
  readonly rule: number;
  /** The number of this match of the rule, from 1. */
  readonly match: number;
  /** How often the rule has acted. */
  readonly acted: number;
}

/** The decision on a match: the rule acts, or the reason why not. */
export type FaultDecision = 'acts' | 'not-this-one' | 'spared-by-chance' | 'spent';

/** `true` if matches count already. Earlier events are not even counted. */
export const countsBy = (when: FaultWhen, sinceApplyMs: number): boolean => sinceApplyMs >= (when.afterMs ?? 0);

/** Decides if a rule acts on this match. The same facts get the same decision, always and on every thread. */
export function decideFault(when: FaultWhen, facts: MatchFacts): FaultDecision {
  if (facts.acted >= mostActs(when)) return 'spent';
  if (when.nth !== undefined) return facts.match === when.nth ? 'acts' : 'not-this-one';
  if (when.rate !== undefined && chanceOf(facts) >= when.rate) return 'spared-by-chance';
  return 'acts';
}

/** Returns how often a rule may act at most. */
export const mostActs = (when: FaultWhen): number => (when.nth === undefined ? (when.atMost ?? Infinity) : 1);

/** Each match has its own random number, so that it does not matter which thread counts it. */
function chanceOf({ seed, rule, match }: MatchFacts): number {
  const mixed =
    Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(rule + 1, 0xc2b2ae35) ^ Math.imul(match, 0x27d4eb2f);
  return seededRandom(mixed)();
}
