import type { PodUid } from '../../../src/kube/ids.ts';

/**
 * Pods that the node rejects by its object as last observed. Nodes and pods arrive on separate watches: the label that
 * placed a pod here may arrive after the pod. So the object is read once from the server, after the first judgement,
 * and the pod is judged again.
 */
export class SecondJudgements {
  /** Refused since the read under way began: that read may be too early for them. */
  #refused = new Set<PodUid>();
  /** The pods that the read under way is for; `undefined` when none is under way. */
  #reading: ReadonlySet<PodUid> | undefined;

  refused(uid: PodUid): void {
    if (this.#reading?.has(uid) !== true) this.#refused.add(uid);
  }

  /** Begins a read if one is due and none is under way. Returns `true` if so. */
  begin(): boolean {
    if (this.#reading !== undefined || this.#refused.size === 0) return false;
    this.#reading = this.#refused;
    this.#refused = new Set();
    return true;
  }

  /** The read under way has ended. Returns the pods that are judged for the last time. */
  ended(): ReadonlySet<PodUid> {
    const judged = this.#reading ?? new Set();
    this.#reading = undefined;
    return judged;
  }
}
