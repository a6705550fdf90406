/** So many at once, and then so many a second. Instants are milliseconds on any one scale. */
export interface TokenRate {
  /** 0: as many as there are. */
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #at: number;

  constructor(rate: TokenRate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes one, if there is one. */
  take(now: number): boolean {
    if (this.#rate.perSecond === 0) return true;
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until there is one. */
  waitMs(now: number): number {
    if (this.#rate.perSecond === 0) return 0;
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1000);
  }

  #fill(now: number): void {
    // A clock that was set back gives nothing, and takes nothing.
    const passedMs = Math.max(0, now - this.#at);
    this.#at = now;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + (passedMs / 1000) * this.#rate.perSecond);
  }
}
