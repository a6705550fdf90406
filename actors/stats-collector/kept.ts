import type { Clock } from '../../src/actor/clock.ts';

/**
 * The latest of something that takes a while to measure. Whoever wants it while it is being measured shares that, if it was begun
 * late enough for them; all others share the measurement after it.
 */
export class Kept<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #measure: () => Promise<T>;
  #latest: { readonly value: T; readonly at: number } | undefined;
  #underWay: { readonly value: Promise<T>; readonly at: number } | undefined;
  #next: Promise<T> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, measure: () => Promise<T>) {
    this.#clock = clock;
    this.#measure = measure;
  }

  /** Measured no longer ago than this, or now. */
  within(maxAgeMs: number): Promise<T> {
    const [latest, underWay, now] = [this.#latest, this.#underWay, this.#clock.monotonic()];
    if (latest !== undefined && now - latest.at < maxAgeMs) return Promise.resolve(latest.value);
    if (underWay === undefined) return this.#begin(now);
    // What was begun at this very moment has seen nothing that was otherwise before it.
    if (now - underWay.at <= maxAgeMs) return underWay.value;
    return (this.#next ??= this.#after(underWay.value));
  }

  #begin(at: number): Promise<T> {
    const value = this.#measureFrom(at);
    this.#underWay = { value, at };
    return value;
  }

  async #after(before: Promise<T>): Promise<T> {
    await before.catch(() => undefined);
    this.#next = undefined;
    return this.#begin(this.#clock.monotonic());
  }

  async #measureFrom(at: number): Promise<T> {
    try {
      const value = await this.#measure();
      this.#latest = { value, at };
      return value;
    } finally {
      this.#underWay = undefined;
    }
  }
}
