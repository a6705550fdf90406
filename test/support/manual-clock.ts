import type { Clock } from '../../src/actor/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on and fires what falls due, in order of time, including timers that were armed on the way. */
  advance(ms: number): void;
  /** Like `advance`, but settles promises after each timer, so that a timer's effects may arm the next one. */
  advanceAndSettle(ms: number): Promise<void>;
  /** How many timers are armed. */
  readonly armed: number;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** Resolves when all promises that do not wait for time have settled. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A clock that stands still until it is moved. `monotonic` starts at zero. */
export function manualClock(startMs = 0): ManualClock {
  const timers = new Set<Timer>();
  let now = startMs;

  /** Fires the first timer due by then. Returns `false` if there is none. */
  function fireNext(until: number): boolean {
    let next: Timer | undefined;
    // Insertion order decides between equals, as with real timers.
    for (const timer of timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    if (!next) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.fire();
    return true;
  }

  return {
    now: () => now,
    monotonic: () => now - startMs,
    after(delayMs, fire) {
      const timer = { at: now + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      while (fireNext(until));
      now = until;
    },
    async advanceAndSettle(ms) {
      const until = now + ms;
      await settled();
      while (fireNext(until)) await settled();
      now = until;
    },
    get armed() {
      return timers.size;
    },
  };
}
