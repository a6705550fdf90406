import type { Clock, MonotonicMs } from '../../src/actor/clock.ts';

/**
 * The latest result of a slow measurement. Callers that arrive while a measurement runs share it, if it began late
 * enough for them; all others share the next one.
 */
export class Kept<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #measure: () => Promise<T>;
  #latest: { readonly value: T; readonly at: MonotonicMs } | undefined;
  #underWay: { readonly value: Promise<T>; readonly at: MonotonicMs } | undefined;
  #next: Promise<T> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, measure: () => Promise<T>) {
    this.#clock = clock;
    this.#measure = measure;
  }

  /** Returns a result no older than `maxAgeMs`, or measures now. */
  within(maxAgeMs: number): Promise<T> {
    const [latest, underWay, now] = [this.#latest, this.#underWay, this.#clock.monotonic()];
    if (latest !== undefined && now - latest.at < maxAgeMs) return Promise.resolve(latest.value);
    if (underWay === undefined) return this.#begin(now);
    // A measurement begun at this very instant shows no earlier state.
    if (now - underWay.at <= maxAgeMs) return underWay.value;
    return (this.#next ??= this.#after(underWay.value));
  }

  #begin(at: MonotonicMs): Promise<T> {
    const value = this.#measureFrom(at);
    this.#underWay = { value, at };
    return value;
  }

  async #after(before: Promise<T>): Promise<T> {
    await before.catch(() => undefined);
    this.#next = undefined;
    return this.#begin(this.#clock.monotonic());
  }

  async #measureFrom(at: MonotonicMs): Promise<T> {
    try {
      const value = await this.#measure();
      this.#latest = { value, at };
      return value;
    } finally {
      this.#underWay = undefined;
    }
  }
}
