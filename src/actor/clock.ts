/** Says which clock an instant was read from. Exists for the compiler only. */
declare const scale: unique symbol;

/**
 * Milliseconds since the epoch, as the machine's clock shows them. Steps when that clock is set.
 *
 * The compiler refuses an instant of one clock where the other's is due. A plain number fits both: the sum of an instant
 * and a duration is one, and so is a number in a test. `later` keeps the clock of its instant.
 */
export type WallMs = number & { readonly [scale]?: 'wall' };

/** Milliseconds on a scale that never steps and is the same on every thread of the process. */
export type MonotonicMs = number & { readonly [scale]?: 'monotonic' };

/** Milliseconds since the start of one thread. Cheaper to read; means nothing on another thread. */
export type ThreadMs = number & { readonly [scale]?: 'thread' };

/** Returns the instant that is `ms` after another one of the same clock. */
export const later = <T extends WallMs | MonotonicMs>(instant: T, ms: number): T =>
  // A sum keeps the clock that its instant was read from; the compiler sees only numbers.
  (instant + ms) as T;

/** Returns the milliseconds between two instants of one clock. */
export const elapsedMs = <T extends WallMs | MonotonicMs>(from: T, to: NoInfer<T>): number => to - from;

/** Time for the whole agent. It is passed in, so that a test or a simulation can drive it by hand. */
export interface Clock {
  /** For times that people and other programs read, never for waiting. */
  now(): WallMs;
  /** For durations and order. */
  monotonic(): MonotonicMs;
  /** Calls `fire` once, `delayMs` from now; the returned function cancels it. */
  after(delayMs: number, fire: () => void): () => void;
}

/** Node fires a timer at once when its delay exceeds 31 bits (three and a half weeks). Certificates live longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The one place that touches real time. */
export const systemClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- this is the seam
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  after(delayMs, fire) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const next = leftMs > LONGEST_TIMER_MS ? () => arm(leftMs - LONGEST_TIMER_MS) : fire;
      // oxlint-disable-next-line no-restricted-globals -- this is the seam
      timer = setTimeout(next, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS)); // rounding down would fire early
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * A clock whose timers can all be cancelled at once. Each incarnation gets its own, so that neither its timers nor its
 * late results can wake a dead incarnation.
 */
export class ScopedClock implements Clock {
  readonly #clock: Clock;
  readonly #thrown: ((reason: unknown) => void) | undefined;
  /** Made with the first timer: thousands of actors have none. */
  #armed: Set<() => void> | undefined;
  #ended = false;

  /** `thrown` receives errors from timer callbacks. Without it the error reaches the event loop. */
  constructor(clock: Clock, thrown?: (reason: unknown) => void) {
    this.#clock = clock;
    this.#thrown = thrown;
  }

  now(): WallMs {
    return this.#clock.now();
  }

  monotonic(): MonotonicMs {
    return this.#clock.monotonic();
  }

  after(delayMs: number, fire: () => void): () => void {
    if (this.#ended) return () => {};
    const armed = (this.#armed ??= new Set());
    const cancel = this.#clock.after(delayMs, () => {
      armed.delete(disarm);
      this.#fire(fire);
    });
    const disarm = (): void => {
      armed.delete(disarm);
      cancel();
    };
    armed.add(disarm);
    return disarm;
  }

  /** Cancels for good: a timer armed later never fires. */
  cancelAll(): void {
    this.#ended = true;
    for (const disarm of this.#armed ?? []) disarm();
  }

  #fire(fire: () => void): void {
    if (this.#thrown === undefined) return fire();
    try {
      fire();
    } catch (reason) {
      this.#thrown(reason);
    }
  }
}
