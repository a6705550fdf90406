import type { Strategy, TreeSpec } from '../supervision/child.ts';
import type { RestartRule } from '../supervision/restart-budget.ts';

/** One worker thread of the agent and the actors that always live there, as data. */
export interface ThreadSpec {
  readonly name: string;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly TreeSpec[];
  /** The strategy among those children. Default: `one-for-one`. */
  readonly strategy?: Strategy;
  readonly restart: RestartRule;
  readonly heapLimitMiB: number;
  /**
   * Room for short-lived objects. Less room means more frequent collections, and each collection costs again for
   * objects in use. A busy thread wants the default of 8; a quiet one would hold them for nothing.
   */
  readonly youngGenerationMiB?: number;
  /**
   * Limit of memory outside the heap, which no heap limit counts. A thread above it for some seconds is replaced, after
   * its actors have stopped in order. Default: no limit.
   */
  readonly externalLimitMiB?: number;
}
