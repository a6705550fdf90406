import type { PodUid } from '../../src/kube/ids.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { terminateStatus } from '../../src/pod/status/terminate-status.ts';
import type { PodManagerEffect } from './effects.ts';
import type { Entrance } from './admission/admit-pods.ts';
import type { Holdings } from './present-pods.ts';
import type { PodBook } from './pod-table.ts';
import { evict, isDeleted, isFromApi } from './pod-facts.ts';
import type { EvictPod, PodManagerProtocol } from './protocol.ts';
import { evicted } from './worker-record.ts';

/** Containers of the pod's earlier life still exist; nothing about them is to be reported any more. */
const anew =
  (left: 'dead' | undefined) =>
  (effect: PodManagerEffect): PodManagerEffect =>
    effect.type === 'start-worker' && left !== undefined ? { ...effect, history: 'anew' } : effect;

type PodTerminated = Extract<PodManagerProtocol['command'], { type: 'pod-terminated' }>;

/** Pods that end, by the node's decision or by themselves, until nothing of them is left. */
export class Endings {
  readonly #book: PodBook;
  readonly #entrance: Entrance;
  readonly #holdings: Holdings;

  constructor(book: PodBook, entrance: Entrance, holdings: Holdings) {
    this.#book = book;
    this.#entrance = entrance;
    this.#holdings = holdings;
  }

  /** A worker that restarts meanwhile receives the instruction again. */
  evict(command: EvictPod): readonly PodManagerEffect[] {
    const worker = evicted(this.#book.workers.get(command.podUid), command);
    if (worker !== undefined) this.#book.workers.set(command.podUid, worker);
    return worker === undefined ? [] : [evict(command.podUid, command)];
  }

  /** Nothing of the pod runs any more. */
  ended(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.#book.workers.get(uid);
    if (worker?.stage === 'wanted') this.#book.workers.set(uid, { ...worker, stage: 'ended' });
    this.#book.desk.left(uid);
    return this.#entrance.left(uid);
  }

  /** Nothing of the pod is left, and its worker is gone. */
  removed({ podUid: uid, status, left }: PodTerminated): readonly PodManagerEffect[] {
    const worker = this.#book.workers.get(uid);
    const fullName = worker?.fullName ?? '';
    this.#book.workers.delete(uid);
    this.#book.names.leave(fullName, uid);
    this.#book.desk.left(uid);
    this.#book.resizes.forget(uid);
    const pod = this.#book.desired.get(uid);
    const mirror =
      worker?.pod === undefined || (left !== undefined && pod !== undefined)
        ? []
        : this.#book.objects.staticGone(uid, worker.pod);
    if (pod !== undefined && isFromApi(pod) && (isDeleted(pod) || isTerminalPhase(status?.phase))) {
      const last = status ?? terminateStatus(pod, pod.status ?? {});
      return [
        ...this.#book.objects.over(uid, pod, last),
        ...this.#entrance.admitNext(fullName),
        ...this.#entrance.left(uid),
      ];
    }
    // The pod became wanted again under the same UID while it was being removed.
    const again =
      pod !== undefined
        ? this.#entrance.admit(uid, pod).map(anew(left))
        : left === undefined
          ? []
          : this.#holdings.orphan(uid);
    const still = left === undefined || pod === undefined ? [] : this.#book.objects.mirrorStill(uid);
    return [
      { type: 'forget-status', uid, ...(still.length > 0 && { stays: true }) },
      ...mirror,
      ...still,
      ...again,
      ...this.#entrance.admitNext(fullName),
      ...this.#entrance.left(uid),
    ];
  }
}
