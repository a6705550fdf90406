/** So many a second in the long run, and so many at once after a quiet time. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Lets through what its rate allows. Instants are milliseconds on a clock that does not step. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes one if there is one. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until there is one. */
  nextInMs(now: number): number {
    this.#fill(now);
    return Math.max(0, Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1000));
  }

  #fill(now: number): void {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#at) * perSecond) / 1000);
    this.#at = Math.max(this.#at, now);
  }
}

/** Sums of fractions of a token are never quite one. */
const ROUNDING = 1e-6;
