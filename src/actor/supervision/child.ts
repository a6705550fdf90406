import type { Address } from '../messages/message.ts';
import type { RestartRule, Verdict } from './restart-budget.ts';

/**
 * What becomes of a child whose incarnation has ended by itself.
 * `permanent`: always started again, also when it says it has finished. `transient`: started again after a crash only.
 * `temporary`: never; whoever wants it again starts it.
 */
export type Lifetime = 'permanent' | 'transient' | 'temporary';

/** One actor under a supervisor, described, not coded. */
export interface ChildSpec {
  readonly address: Address;
  /** Plain data handed to the actor's factory. */
  readonly init?: unknown;
  readonly restart: RestartRule;
  /** How long an orderly stop may take before the child is cut off. */
  readonly stopWithinMs: number;
  /** Without it: `permanent`. */
  readonly lifetime?: Lifetime;
  /** How long its `start` may take; after that it has died while booting. Without it: `BOOT_WITHIN_MS`. */
  readonly bootWithinMs?: number;
}

/**
 * Which children start anew when one of them has crashed.
 * `one-for-one`: that one. `one-for-all`: all. `rest-for-one`: that one and those started after it, which stand on it.
 */
export type Strategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/** A supervisor, which is a child like any other: when a child of its own cannot be kept alive, it has crashed itself. */
export interface SupervisorSpec {
  readonly name: string;
  readonly strategy: Strategy;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly TreeSpec[];
  /** Judges the crashes of this supervisor. How often an actor below it may crash is said by that actor's own rule. */
  readonly restart: RestartRule;
}

/** A node of the supervision tree, as plain data. */
export type TreeSpec = ChildSpec | SupervisorSpec;

export const isSupervisor = (spec: TreeSpec): spec is SupervisorSpec => 'children' in spec;

/** The actors of a tree, in order of start. */
export const actorsIn = (tree: readonly TreeSpec[]): readonly ChildSpec[] =>
  tree.flatMap((spec) => (isSupervisor(spec) ? actorsIn(spec.children) : [spec]));

/** For an actor that says nothing else: whatever takes longer than this to start has met something that does not answer. */
export const BOOT_WITHIN_MS = 30_000;

/** What a supervisor says of every crash and every end: always these keys. */
export interface SupervisorReport {
  readonly supervisor: string;
  readonly child: string;
  readonly incarnation: number;
  readonly reason: string;
  /** `not-restarted`: it crashed, and is of those that are not started again. */
  readonly verdict: Verdict['type'] | 'finished' | 'stopped' | 'not-restarted';
}

/** Whether a report tells of trouble. Orderly ends are many (one a pod) and nobody's trouble. */
export const isCrash = ({ verdict }: SupervisorReport): boolean => verdict !== 'finished' && verdict !== 'stopped';

export const defaultRestartRule: RestartRule = {
  budget: { atMost: 5, withinMs: 60_000 },
  backOff: { initialMs: 50, maxMs: 5_000 },
  whenSpent: 'escalate',
};
