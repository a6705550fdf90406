import type { MonotonicMs } from './clock.ts';

/** A long-run rate per second, and a burst after a quiet time. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits a rate. Instants are monotonic milliseconds. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: MonotonicMs;

  constructor(rate: Rate, now: MonotonicMs) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes a token. Returns `false` when there is none. */
  take(now: MonotonicMs): boolean {
    this.#fill(now);
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Returns how long until a token is available. */
  nextInMs(now: MonotonicMs): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1000));
  }

  #fill(now: MonotonicMs): void {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#at) * perSecond) / 1000);
    this.#at = Math.max(this.#at, now);
  }
}

/** Sums of fractions of a token are never exactly one. */
const ROUNDING = 1e-6;
