import type { Address } from './message.ts';
import type { RestartRule, Verdict } from './restart-budget.ts';

/** One child of a supervisor, described, not coded. */
export interface ChildSpec {
  readonly address: Address;
  /** Plain data handed to the actor's factory. */
  readonly init?: unknown;
  readonly restart: RestartRule;
  /** How long an orderly stop may take before the child is cut off. */
  readonly stopWithinMs: number;
}

/** What a supervisor says of every crash and every end: always these keys. */
export interface SupervisorReport {
  readonly supervisor: string;
  readonly child: string;
  readonly incarnation: number;
  readonly reason: string;
  readonly verdict: Verdict['type'] | 'finished' | 'stopped';
}

export const defaultRestartRule: RestartRule = {
  budget: { atMost: 5, withinMs: 60_000 },
  backOff: { initialMs: 50, maxMs: 5_000 },
  whenSpent: 'escalate',
};
