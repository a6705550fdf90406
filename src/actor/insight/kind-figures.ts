import { HandlerTimes, type HandlerTimesFigures } from './handler-times.ts';

/** Totals of all actors of one kind on one thread. Counts only grow, also when actors end. */
export class KindCounts {
  handled = 0;
  refused = 0;
  coalesced = 0;
  restarts = 0;
  crashes = 0;
  lastFault: string | undefined = undefined;
  readonly times = new HandlerTimes();
}

/** The figures of one kind of actor on one thread. */
export interface KindFigures {
  readonly actors: number;
  /** Messages waiting in all mailboxes together; `deepest` is the fullest mailbox. */
  readonly depth: number;
  readonly deepest: number;
  readonly handled: number;
  /**
   * Messages refused because a mailbox was full; `coalesced` counts messages replaced by a later one with the same key.
   */
  readonly refused: number;
  readonly coalesced: number;
  readonly crashes: number;
  readonly restarts: number;
  readonly handlerTimes: HandlerTimesFigures;
  readonly lastFault: string | undefined;
}

/** `depths`: depths of the mailboxes of living actors. */
export function kindFigures(counts: KindCounts, depths: readonly number[]): KindFigures {
  const { handled, refused, coalesced, crashes, restarts, lastFault, times } = counts;
  return {
    actors: depths.length,
    depth: depths.reduce((sum, depth) => sum + depth, 0),
    deepest: Math.max(0, ...depths),
    handled,
    refused,
    coalesced,
    crashes,
    restarts,
    handlerTimes: times.snapshot(),
    lastFault,
  };
}
