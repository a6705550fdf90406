/**
 * Keeps repeated texts and small values once: a node's pods come from a few templates. Half of the entries are
 * dropped from time to time, so values that occur only once do not stay for ever.
 */
export class Interner {
  readonly #most: number;
  #young = new Map<string, unknown>();
  #old = new Map<string, unknown>();

  constructor(most = 20_000) {
    this.#most = most;
  }

  text(text: string): string {
    // The table holds the value that was given with the same key.
    return text.length > 128 ? text : (this.#known(text, text) as string);
  }

  /** Returns the first value that is equal to this one. Only for values that are never changed. */
  value<T extends object>(value: T): T {
    const key = JSON.stringify(value);
    // Equal JSON text means an equal value, so a value of the same type.
    return key.length > 2_048 ? value : (this.#known(key, value) as T);
  }

  #known(key: string, value: unknown): unknown {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const found = this.#old.get(key) ?? value;
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, found);
    return found;
  }
}
