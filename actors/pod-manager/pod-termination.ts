import type { PodUid } from '../../src/kube/ids.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { terminateStatus } from '../../src/pod/status/terminate-status.ts';
import type { PodManagerEffect } from './effects.ts';
import type { PodAdmitter } from './admission/admit-pods.ts';
import type { PresentPods } from './present-pods.ts';
import type { PodTable } from './pod-table.ts';
import { evict, isDeleted, isFromApi } from './pod-facts.ts';
import type { EvictPod, PodManagerProtocol } from './protocol.ts';
import { evicted } from './worker-record.ts';

/** Containers of the pod's earlier life still exist; nothing about them is to be reported any more. */
const withoutFormerLife =
  (left: 'dead' | undefined) =>
  (effect: PodManagerEffect): PodManagerEffect =>
    effect.type === 'start-worker' && left !== undefined ? { ...effect, history: 'recreated' } : effect;

type PodTerminated = Extract<PodManagerProtocol['command'], { type: 'pod-terminated' }>;

/** Pods that end, by the node's decision or by themselves, until nothing of them is left. */
export class PodTermination {
  readonly #podTable: PodTable;
  readonly #admitter: PodAdmitter;
  readonly #presentPods: PresentPods;

  constructor(podTable: PodTable, admitter: PodAdmitter, presentPods: PresentPods) {
    this.#podTable = podTable;
    this.#admitter = admitter;
    this.#presentPods = presentPods;
  }

  /** A worker that restarts meanwhile receives the instruction again. */
  evict(command: EvictPod): readonly PodManagerEffect[] {
    const worker = evicted(this.#podTable.workers.get(command.podUid), command);
    if (worker !== undefined) this.#podTable.workers.set(command.podUid, worker);
    return worker === undefined ? [] : [evict(command.podUid, command)];
  }

  /** Nothing of the pod runs any more. */
  ended(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.#podTable.workers.get(uid);
    if (worker?.stage === 'wanted') this.#podTable.workers.set(uid, { ...worker, stage: 'ended' });
    this.#podTable.nodeAdmission.podLeft(uid);
    return this.#admitter.left(uid);
  }

  /** Nothing of the pod is left, and its worker is gone. */
  removed({ podUid: uid, status, left }: PodTerminated): readonly PodManagerEffect[] {
    const worker = this.#podTable.workers.get(uid);
    const fullName = worker?.fullName ?? '';
    this.#podTable.workers.delete(uid);
    this.#podTable.names.leave(fullName, uid);
    this.#podTable.nodeAdmission.podLeft(uid);
    this.#podTable.resizes.forget(uid);
    const pod = this.#podTable.desired.get(uid);
    const mirror =
      worker?.pod === undefined || (left !== undefined && pod !== undefined)
        ? []
        : this.#podTable.objects.staticGone(uid, worker.pod);
    if (pod !== undefined && isFromApi(pod) && (isDeleted(pod) || isTerminalPhase(status?.phase))) {
      const last = status ?? terminateStatus(pod, pod.status ?? {});
      return [
        ...this.#podTable.objects.over(uid, pod, last),
        ...this.#admitter.admitNext(fullName),
        ...this.#admitter.left(uid),
      ];
    }
    // The pod became wanted again under the same UID while it was being removed.
    const again =
      pod !== undefined
        ? this.#admitter.admit(uid, pod).map(withoutFormerLife(left))
        : left === undefined
          ? []
          : this.#presentPods.orphan(uid);
    const still = left === undefined || pod === undefined ? [] : this.#podTable.objects.mirrorRemains(uid);
    return [
      { type: 'forget-status', uid, ...(still.length > 0 && { stays: true }) },
      ...mirror,
      ...still,
      ...again,
      ...this.#admitter.admitNext(fullName),
      ...this.#admitter.left(uid),
    ];
  }
}
