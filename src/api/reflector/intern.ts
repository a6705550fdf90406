/**
 * Texts and small values that are there many times are kept once: a node's pods come from a few templates. Half of what it
 * knows is forgotten from time to time, so that what is there only once does not stay for ever.
 */
export class Interner {
  readonly #most: number;
  #young = new Map<string, unknown>();
  #old = new Map<string, unknown>();

  constructor(most = 20_000) {
    this.#most = most;
  }

  text(text: string): string {
    return text.length > 128 ? text : (this.#known(text, text) as string);
  }

  /** The value that was seen first of all those that are equal to this one. Only for values nobody changes. */
  value<T extends object>(value: T): T {
    const key = JSON.stringify(value);
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
