import { describeError } from '../../../src/actor/fault.ts';
import type { Log } from '../../../src/actor/log.ts';
import type { PodUid } from '../../../src/kube/ids.ts';
import type { AllocatedResources } from '../../../src/pod/sync/pod-resizes.ts';
import type { Allocations } from './allocations.ts';

/**
 * Keeps on disk what must outlive the pod manager. A failing disk stops no pod: the write is retried every few seconds.
 * A manager that takes over before the write succeeds goes by the API's status of the pod.
 */
export class Records {
  readonly #allocations: Allocations;
  readonly #log: Pick<Log, 'warn'>;
  readonly #unkept = new Map<PodUid, AllocatedResources>();

  constructor(allocations: Allocations, log: Pick<Log, 'warn'>) {
    this.#allocations = allocations;
    this.#log = log;
  }

  keep(uid: PodUid, allocation: AllocatedResources): void {
    try {
      this.#allocations.write(uid, allocation);
      this.#unkept.delete(uid);
    } catch (reason) {
      this.#unkept.set(uid, allocation);
      this.#log.warn(
        { err: describeError(reason), podUid: uid },
        'cannot save the allocated resources of the pod; retrying',
      );
    }
  }

  keepVictims(uid: PodUid, victims: readonly PodUid[]): void {
    try {
      this.#allocations.writeVictims(uid, victims);
    } catch (reason) {
      // Not retried: the victims end within seconds.
      this.#log.warn(
        { err: describeError(reason), podUid: uid },
        'cannot save which pods were preempted for the pod; preempting them anyway',
      );
    }
  }

  /**
   * `isOnNode` returns `false` for pods that have gone. Their writes are dropped, since their directories may be gone
   * too.
   */
  retryWrites(isOnNode: (uid: PodUid) => boolean): void {
    for (const [uid, allocation] of this.#unkept) {
      if (isOnNode(uid)) this.keep(uid, allocation);
      else this.#unkept.delete(uid);
    }
  }
}
