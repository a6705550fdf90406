import type { Address } from '../messages/message.ts';
import type { RestartRule, Verdict } from './restart-budget.ts';

/**
 * Decides on a child whose incarnation has ended without a stop. `permanent`: always restarted, also when the actor has
 * finished. `transient`: restarted after a crash only. `temporary`: never restarted; another actor has to start it
 * again.
 */
export type Lifetime = 'permanent' | 'transient' | 'temporary';

/** One actor under a supervisor, described as data. */
export interface ChildSpec {
  readonly address: Address;
  /** Plain data passed to the actor's factory. */
  readonly init?: unknown;
  readonly restart: RestartRule;
  /** How long an orderly stop may take before the child is cut off. */
  readonly stopWithinMs: number;
  /** Default: `permanent`. */
  readonly lifetime?: Lifetime;
  /** How long its `start` may take. After that it counts as dead while booting. Default: `BOOT_WITHIN_MS`. */
  readonly bootWithinMs?: number;
}

/**
 * Which children restart when one of them has crashed. `one-for-one`: the crashed child. `one-for-all`: all.
 * `rest-for-one`: the crashed child and the children started after it, which depend on it.
 */
export type Strategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/**
 * A supervisor, which is a child like any other. When one of its children crashes too often, the supervisor itself has
 * crashed.
 */
export interface SupervisorSpec {
  readonly name: string;
  readonly strategy: Strategy;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly TreeSpec[];
  /** Judges the crashes of this supervisor. An actor below it has a rule of its own. */
  readonly restart: RestartRule;
}

/** A node of the supervision tree, as plain data. */
export type TreeSpec = ChildSpec | SupervisorSpec;

export const isSupervisor = (spec: TreeSpec): spec is SupervisorSpec => 'children' in spec;

/** Returns the actors of a tree, in order of start. */
export const actorsIn = (tree: readonly TreeSpec[]): readonly ChildSpec[] =>
  tree.flatMap((spec) => (isSupervisor(spec) ? actorsIn(spec.children) : [spec]));

/** The default deadline of a start. A start that takes longer waits for something that does not answer. */
export const BOOT_WITHIN_MS = 30_000;

/** A supervisor's report of a crash or an end. It always has these keys. */
export interface SupervisorReport {
  readonly supervisor: string;
  readonly child: string;
  readonly incarnation: number;
  readonly reason: string;
  /** `not-restarted`: the child crashed and its lifetime allows no restart. */
  readonly verdict: Verdict['type'] | 'finished' | 'stopped' | 'not-restarted';
}

/** `true` if a report is about trouble. Orderly ends are many (one per pod) and harmless. */
export const isCrash = ({ verdict }: SupervisorReport): boolean => verdict !== 'finished' && verdict !== 'stopped';

export const defaultRestartRule: RestartRule = {
  budget: { atMost: 5, withinMs: 60_000 },
  backOff: { initialMs: 50, maxMs: 5_000 },
  whenSpent: 'escalate',
};
