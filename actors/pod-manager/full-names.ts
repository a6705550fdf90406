import type { PodUid } from '../../src/kube/ids.ts';

/**
 * Who is on the node under which full name, and who waits for one. Generations of a static pod share a name, a host port, a
 * log folder: the next one comes only when nothing of those before it is left.
 */
export class FullNames {
  readonly #present = new Map<string, Set<PodUid>>();
  readonly #waiting = new Map<string, readonly PodUid[]>();

  enter(name: string, uid: PodUid): void {
    const present = this.#present.get(name);
    if (present === undefined) this.#present.set(name, new Set([uid]));
    else present.add(uid);
  }

  leave(name: string, uid: PodUid): void {
    const present = this.#present.get(name);
    if (present?.delete(uid) === true && present.size === 0) this.#present.delete(name);
  }

  /** Whether nobody else is there under the name. */
  isFreeFor(name: string, uid: PodUid): boolean {
    const present = this.#present.get(name);
    return present === undefined || present.size === 0 || (present.size === 1 && present.has(uid));
  }

  wait(name: string, uid: PodUid): void {
    this.#waiting.set(name, [...(this.#waiting.get(name) ?? []).filter((other) => other !== uid), uid]);
  }

  waitNoMore(name: string, uid: PodUid): void {
    const rest = (this.#waiting.get(name) ?? []).filter((other) => other !== uid);
    if (rest.length === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, rest);
  }

  /** Whose turn it is: the latest to have come, for that is the latest word on what is wanted under the name. */
  next(name: string): PodUid | undefined {
    return this.#waiting.get(name)?.at(-1);
  }
}
