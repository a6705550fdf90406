import type { Clock } from '../clock.ts';
import type { LiveThread } from './live-thread.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** A thread that does not answer for this long is `silent`. */
  readonly budgetMs: number;
  /** Of memory outside the heap. */
  readonly limitBytes: number;
  /** Whether this life of the thread still counts. */
  readonly isWatched: () => boolean;
  readonly silent: (budgetMs: number) => void;
  /** It has held more than it may for some beats in a row. */
  readonly overLimit: (externalBytes: number) => void;
}

/** A new thread loads its modules before it can answer, which takes its time on a busy machine. */
const FIRST_ANSWER_WITHIN_MS = 30_000;
/** In a row with too much memory outside the heap: what is only not yet collected is gone by then. */
const BEATS_OVER_LIMIT = 3;

/** Asks a thread again and again whether it is well, until it is not watched any more. */
export function watchOver<Port>(thread: LiveThread<Port>, options: HeartbeatOptions): void {
  const { clock, everyMs, budgetMs, limitBytes, isWatched, silent, overLimit } = options;
  let beatsOver = 0;
  const beat = (withinMs: number): void => {
    if (!isWatched()) return;
    // In two halves: if this very thread, or the machine, was held up, answers lie unread when the first half ends.
    let disarm = clock.after(withinMs / 2, () => {
      disarm = clock.after(withinMs / 2, () => silent(withinMs));
    });
    thread
      .call((control) => control.ping())
      .finally(() => disarm())
      .then(({ externalBytes }) => {
        beatsOver = externalBytes > limitBytes ? beatsOver + 1 : 0;
        if (beatsOver === BEATS_OVER_LIMIT) overLimit(externalBytes);
        return clock.after(everyMs, () => beat(budgetMs));
      })
      .catch(() => {}); // its end is judged on its own
  };
  beat(Math.max(FIRST_ANSWER_WITHIN_MS, budgetMs));
}
