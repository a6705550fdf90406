import type { PodUid } from '../../src/kube/ids.ts';

/**
 * Which pod holds each full name, and which pods wait for one. Generations of a static pod share a name, host ports and
 * a log folder: the next generation starts only when nothing of the earlier ones is left.
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

  /** Returns `true` if no other pod holds the name. */
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

  /** Returns the waiting pod that arrived last: it is the latest version wanted under the name. */
  next(name: string): PodUid | undefined {
    return this.#waiting.get(name)?.at(-1);
  }
}
