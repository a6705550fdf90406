import type { Strategy, TreeSpec } from '../supervision/child.ts';
import type { RestartRule } from '../supervision/restart-budget.ts';

/** One worker thread of the agent and the actors that always live there, as data. */
export interface ThreadSpec {
  readonly name: string;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly TreeSpec[];
  /** Among those children. Without it: `one-for-one`. */
  readonly strategy?: Strategy;
  readonly restart: RestartRule;
  readonly heapLimitMiB: number;
  /**
   * Room for what lives shortly. The less there is, the more often it is tidied up, and what is in use then costs again: a
   * thread that does much wants the 8 that it has without this; one that does little keeps them for nothing.
   */
  readonly youngGenerationMiB?: number;
  /**
   * Memory outside the heap, which no heap limit counts. A thread that holds more for some seconds is replaced, its actors
   * stopped in order before. Without it: as much as it wants.
   */
  readonly externalLimitMiB?: number;
}
