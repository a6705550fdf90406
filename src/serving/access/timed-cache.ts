import type { MonotonicMs } from '../../actor/clock.ts';

/** A bounded cache of answers that expire: the oldest makes room. Instants are monotonic milliseconds. */
export class TimedCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly until: MonotonicMs }>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string, now: MonotonicMs): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > now) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, until: MonotonicMs): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#capacity) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until });
  }
}
