/** Work on one key at a time, in the order it came; on different keys side by side. */
export class KeyedWork {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    // What went wrong before is its own caller's to hear of.
    const done = before.then(work, work);
    this.#last.set(key, done);
    const forget = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    void done.then(forget, forget);
    return done;
  }
}
