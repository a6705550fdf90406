import type { PodUid } from '../../src/kube/ids.ts';

/** The content that is being written at this moment, by pod. */
export class WritesUnderWay {
  readonly #writes = new Map<PodUid, Set<Promise<void>>>();

  /** Returns the promise itself. */
  add<T>(uid: PodUid, write: Promise<T>): Promise<T> {
    const writes = this.#writes.get(uid) ?? new Set<Promise<void>>();
    const ended: Promise<void> = write.then(
      () => this.#remove(uid, ended),
      () => this.#remove(uid, ended),
    );
    this.#writes.set(uid, writes.add(ended));
    return write;
  }

  /** Resolves when everything that is being written now has ended, well or not. */
  async ended(uid: PodUid): Promise<void> {
    const writes = this.#writes.get(uid);
    if (writes !== undefined) await Promise.all(writes);
  }

  #remove(uid: PodUid, ended: Promise<void>): void {
    const writes = this.#writes.get(uid);
    if (writes?.delete(ended) === true && writes.size === 0) this.#writes.delete(uid);
  }
}
