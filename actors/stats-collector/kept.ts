import type { Clock } from '../../src/actor/clock.ts';

/** The latest of something that takes a while to measure. Whoever wants it while it is being measured shares that. */
export class Kept<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #measure: () => Promise<T>;
  #latest: { readonly value: T; readonly at: number } | undefined;
  #underWay: Promise<T> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, measure: () => Promise<T>) {
    this.#clock = clock;
    this.#measure = measure;
  }

  /** Measured no longer ago than this, or now. */
  within(maxAgeMs: number): Promise<T> {
    const latest = this.#latest;
    if (latest !== undefined && this.#clock.monotonic() - latest.at < maxAgeMs) return Promise.resolve(latest.value);
    return (this.#underWay ??= this.#measureNow());
  }

  async #measureNow(): Promise<T> {
    const at = this.#clock.monotonic();
    try {
      const value = await this.#measure();
      this.#latest = { value, at };
      return value;
    } finally {
      this.#underWay = undefined;
    }
  }
}
