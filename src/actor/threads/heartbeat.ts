import type { Clock } from '../clock.ts';
import type { LiveThread } from './live-thread.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** A thread that does not answer for this long is `silent`. */
  readonly budgetMs: number;
  /** Limit of memory outside the heap. */
  readonly limitBytes: number;
  /** `true` if this life of the thread is still current. */
  readonly isWatched: () => boolean;
  readonly silent: (budgetMs: number) => void;
  /** Called when the thread has exceeded its limit for several beats in a row. */
  readonly overLimit: (externalBytes: number) => void;
}

/** A new thread loads its modules before it can answer, which takes long on a busy machine. */
const FIRST_ANSWER_WITHIN_MS = 30_000;
/** Beats in a row above the limit of memory outside the heap. Garbage is collected by then. */
const BEATS_OVER_LIMIT = 3;

/** Asks a thread regularly for a heartbeat, until it is no longer watched. */
export function watchOver<Port>(thread: LiveThread<Port>, options: HeartbeatOptions): void {
  const { clock, everyMs, budgetMs, limitBytes, isWatched, silent, overLimit } = options;
  let beatsOver = 0;
  const beat = (withinMs: number): void => {
    if (!isWatched()) return;
    // The wait has two halves. If the watching thread or the machine was held up, unread answers arrive when the first
    // half ends.
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
      .catch(() => {}); // the end of the thread is judged on its own
  };
  beat(Math.max(FIRST_ANSWER_WITHIN_MS, budgetMs));
}
