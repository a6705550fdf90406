import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { PodUid } from '../../src/kube/ids.ts';

/**
 * The container starts that have been given volumes and that the runtime has not answered yet. A hold whose release is
 * lost ends by itself. Mutated in place; all instants are monotonic.
 */
export class ContentHolds {
  readonly #allUntil: MonotonicMs;
  readonly #starts = new Map<PodUid, Map<string, MonotonicMs>>();

  /** `allUntil`: until then the content of all pods is held. */
  constructor(allUntil: MonotonicMs) {
    this.#allUntil = allUntil;
  }

  /** A later start of the same container replaces its hold. */
  hold(uid: PodUid, container: string, until: MonotonicMs): void {
    const starts = this.#starts.get(uid) ?? new Map<string, MonotonicMs>();
    this.#starts.set(uid, starts.set(container, until));
  }

  release(uid: PodUid, container: string): void {
    const starts = this.#starts.get(uid);
    if (starts?.delete(container) === true && starts.size === 0) this.#starts.delete(uid);
  }

  forget(uid: PodUid): void {
    this.#starts.delete(uid);
  }

  /** Returns when the last hold of the pod's content ends; `undefined` when nothing holds the content now. */
  heldUntil(uid: PodUid, now: MonotonicMs): MonotonicMs | undefined {
    const until = Math.max(this.#allUntil, ...(this.#starts.get(uid)?.values() ?? []));
    return until > now ? until : undefined;
  }
}
