import type { PodUid } from '../../../src/kube/ids.ts';

/**
 * Pods on this node that no source names although the API may have them: an agent that starts does not know a pod that
 * it cannot read. Absence is no reason to stop a pod before the server has said that it has none.
 */
export class DoubtedPods {
  readonly #doubts = new Map<PodUid, 'reading' | 'exists'>();

  has(uid: PodUid): boolean {
    return this.#doubts.has(uid);
  }

  get uids(): readonly PodUid[] {
    return [...this.#doubts.keys()];
  }

  /** Returns `true` if the server is to be asked now; `false` while its answer stands or is awaited. */
  begin(uid: PodUid): boolean {
    if (this.#doubts.has(uid)) return false;
    this.#doubts.set(uid, 'reading');
    return true;
  }

  answered(uid: PodUid, server: 'has-pod' | 'has-no-pod'): void {
    if (server === 'has-pod') this.#doubts.set(uid, 'exists');
    else this.#doubts.delete(uid);
  }

  /** A source names the pod, or nothing of the pod is left. */
  settled(uid: PodUid): void {
    this.#doubts.delete(uid);
  }

  /** The server's answers are old. Returns the pods that the server is to be asked for again. */
  expire(): readonly PodUid[] {
    const expired = [...this.#doubts].flatMap(([uid, doubt]) => (doubt === 'exists' ? [uid] : []));
    for (const uid of expired) this.#doubts.delete(uid);
    return expired;
  }
}
