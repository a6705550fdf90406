import { describeError } from '../../../src/actor/fault.ts';
import type { Log } from '../../../src/actor/log.ts';
import type { PodUid } from '../../../src/kube/ids.ts';
import type { AllocatedResources } from '../../../src/pod/sync/pod-resizes.ts';
import type { Allocations } from './allocations.ts';

/**
 * Keeps on disk what must outlive the pod manager. A disk that does not take it stops nobody: it is tried again every few
 * seconds, and whoever takes over before goes by what the API shows of the pod.
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
        'what the pod was given cannot be kept; trying again',
      );
    }
  }

  keepVictims(uid: PodUid, victims: readonly PodUid[]): void {
    try {
      this.#allocations.writeVictims(uid, victims);
    } catch (reason) {
      // Worth no second try: in some seconds they have ended.
      this.#log.warn({ err: describeError(reason), podUid: uid }, 'who ends for the pod cannot be kept');
    }
  }

  /** `isHere`: of a pod that has gone nothing is to be kept, its directory may have gone with it. */
  tryAgain(isHere: (uid: PodUid) => boolean): void {
    for (const [uid, allocation] of this.#unkept) {
      if (isHere(uid)) this.keep(uid, allocation);
      else this.#unkept.delete(uid);
    }
  }
}
