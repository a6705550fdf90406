/** Runs the work on one key in order of arrival, one at a time; work on different keys runs in parallel. */
export class KeyedWork {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    // An earlier failure concerns only the caller of that work.
    const done = before.then(work, work);
    this.#last.set(key, done);
    const forget = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    void done.then(forget, forget);
    return done;
  }
}
