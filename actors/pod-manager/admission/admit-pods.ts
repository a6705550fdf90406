import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../../src/kube/pod.ts';
import type { AdmissionNode, Rejection } from '../../../src/node/admission/admission.ts';
import { isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import type { PodManagerEffect } from '../effects.ts';
import { sync } from '../instructions.ts';
import { MakingRoom } from './preempt.ts';
import type { PodBook } from '../pod-table.ts';
import { byCreation, isDeleted, isFromApi, wasAdmitted } from '../pod-facts.ts';
import type { Worker } from '../worker-record.ts';

/** Updates of the Node object may arrive this much later than a pod that depends on them. */
const LABELS_WITHIN_MS = 1_000;

/** Admits pods and gives each a worker: at once, or once there is room, a free full name, or enough knowledge. */
export class Entrance {
  readonly #book: PodBook;
  readonly #room: MakingRoom;
  /** Pods from the API that do not match the node's labels as last observed. */
  readonly #doubted = new Set<PodUid>();
  #judgedLast: PodUid | undefined;

  constructor(book: PodBook) {
    this.#book = book;
    this.#room = new MakingRoom(book);
  }

  /**
   * Orders pods that arrive together: first the pods already on the node, which are not judged again, then the others
   * in the API's order of creation. The others share the resources that the first leave free.
   */
  inOrder(pods: readonly Pod[]): readonly Pod[] {
    if (pods.length < 2) return pods;
    const isHere = (pod: Pod): boolean => {
      const uid = podUid(pod.metadata.uid);
      return this.#book.workers.has(uid) || this.#book.runtimePods.has(uid) || wasAdmitted(pod);
    };
    const [here, coming]: [Pod[], Pod[]] = [[], []];
    for (const pod of pods) (isHere(pod) ? here : coming).push(pod);
    return [...here, ...coming.sort(byCreation)];
  }

  /**
   * Starts the pod's worker, or lets the pod wait for its full name. A pod that may already be running gets a worker at
   * once.
   */
  admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const mayRun = this.#book.runtimePods.has(uid);
    // A pod that has ended and left nothing on the node needs no worker.
    if (!mayRun && isFromApi(pod) && isTerminalPhase(pod.status?.phase))
      return this.#book.objects.over(uid, pod, pod.status ?? {});
    if (!mayRun && !this.#book.names.isFreeFor(fullName, uid)) {
      this.#book.names.wait(fullName, uid);
      return [];
    }
    if (!mayRun && !isDeleted(pod) && !wasAdmitted(pod)) {
      if (isFromApi(pod) && !this.#book.canJudge) {
        this.#book.desk.wait(uid);
        return [];
      }
      if (this.#book.preemptions.isWaiting(uid)) return [];
      const resumed = this.#room.resume(uid, pod);
      if (resumed !== undefined) return [...resumed, ...this.settle()];
      const judgement = this.#book.desk.judge(uid, pod, this.#room.mayEnd);
      if (judgement.type === 'rejected') return this.#refuse(uid, pod, judgement.rejection);
      if (judgement.type === 'after') return this.#room.begin(uid, judgement);
    }
    return this.#start(uid, pod);
  }

  /**
   * Nodes and pods arrive on separate watches: the label that placed a pod here may arrive after the pod. A pod that
   * lacks only such a label is judged again whenever the node changes, and rejected when the time is over.
   */
  #refuse(uid: PodUid, pod: Pod, rejection: Rejection): readonly PodManagerEffect[] {
    if (rejection.reason !== 'NodeAffinity' || !isFromApi(pod) || this.#judgedLast === uid)
      return this.#book.objects.rejected(uid, pod, rejection);
    this.#book.desk.wait(uid);
    if (this.#doubted.has(uid)) return [];
    this.#doubted.add(uid);
    return [{ type: 'judge-later', uid, afterMs: LABELS_WITHIN_MS }];
  }

  /** Judges the pod for the last time, by the node as known now. */
  judgeLast(uid: PodUid): readonly PodManagerEffect[] {
    this.#doubted.delete(uid);
    this.#judgedLast = uid;
    const effects = this.judgeWaiting();
    this.#judgedLast = undefined;
    return effects;
  }

  #start(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const mayRun = this.#book.runtimePods.has(uid);
    return [{ type: 'start-worker', uid, history: mayRun ? 'maybe-running' : 'fresh' }, ...this.sync(uid, pod)];
  }

  /** The pod is on the node: sends it to its worker, with its allocated resources. */
  sync(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    this.#book.names.waitNoMore(fullName, uid);
    this.#book.names.enter(fullName, uid);
    const { eviction, pod: before } = this.#book.workers.get(uid) ?? {};
    const resizing = isDeleted(pod) ? [] : this.#book.resizes.request(uid, pod, { before, desk: this.#book.desk });
    const allocated = this.#book.resizes.allocated(uid, pod);
    const resize = this.#book.resizes.newsOf(uid);
    this.#book.workers.set(uid, {
      fullName,
      pod: allocated,
      stage: isDeleted(pod) ? 'going' : 'wanted',
      eviction,
      resize,
    });
    if (!isTerminalPhase(pod.status?.phase)) this.#book.desk.letIn(uid, allocated);
    const room: readonly PodManagerEffect[] = this.#book.preemptions.end(uid)
      ? [{ type: 'keep-victims', uid, victims: [] }]
      : [];
    const going = this.#room.known(uid);
    return [
      ...room,
      ...resizing,
      ...this.#book.objects.staticPresent(uid, pod),
      sync(uid, { pod: allocated, resize }),
      ...going,
    ];
  }

  /** Nothing of the pod runs any more: pods that waited for its end, or for room, may start now. */
  left(uid: PodUid): readonly PodManagerEffect[] {
    return [...this.#comeIn(this.#book.preemptions.gone(uid)), ...this.retryResizes()];
  }

  /** Admits pods whose victims have all ended, as far as known. */
  settle(): readonly PodManagerEffect[] {
    return this.#comeIn(this.#room.settled());
  }

  /** The victims' time is over: the pod is admitted all the same, as on other nodes. */
  overdue(uid: PodUid): readonly PodManagerEffect[] {
    return this.#book.preemptions.isWaiting(uid) ? [...this.#room.overdue(uid), ...this.#comeIn([uid])] : [];
  }

  #comeIn(uids: readonly PodUid[]): readonly PodManagerEffect[] {
    return uids.flatMap((uid) => {
      const pod = this.#book.desired.get(uid);
      return pod === undefined || this.#book.workers.has(uid) ? [] : this.#start(uid, pod);
    });
  }

  /** A pod has left the node, or some time has passed: deferred resizes are tried again. */
  retryResizes(): readonly PodManagerEffect[] {
    if (!this.#book.resizes.isAnyPending) return [];
    return this.#book.resizes.deferred(this.#book.desired).flatMap((uid) => {
      const [pod, worker] = [this.#book.desired.get(uid), this.#book.workers.get(uid)];
      if (pod === undefined || worker?.stage !== 'wanted') return [];
      const before = this.#book.resizes.newsOf(uid)?.pending;
      const effects = this.#book.resizes.request(uid, pod, { before: worker.pod, desk: this.#book.desk });
      const after = this.#book.resizes.newsOf(uid)?.pending;
      return after?.message === before?.message ? [] : [...effects, ...this.#resized(uid, pod, worker)];
    });
  }

  #resized(uid: PodUid, pod: Pod, worker: Worker): readonly PodManagerEffect[] {
    const [allocated, resize] = [this.#book.resizes.allocated(uid, pod), this.#book.resizes.newsOf(uid)];
    this.#book.workers.set(uid, { ...worker, pod: allocated, resize });
    return [sync(uid, { pod: allocated, resize })];
  }

  /** Judges the API's pods that could not be judged before. */
  judgeWaiting(): readonly PodManagerEffect[] {
    if (!this.#book.canJudge) return [];
    const waiting = this.#book.desk.takeWaiting().flatMap((uid) => {
      const pod = this.#book.desired.get(uid);
      return pod === undefined || this.#book.workers.has(uid) ? [] : [{ uid, pod }];
    });
    return waiting.sort((one, other) => byCreation(one.pod, other.pod)).flatMap(({ uid, pod }) => this.admit(uid, pod));
  }

  /** The Node object was observed. */
  nodeObserved(node: AdmissionNode): readonly PodManagerEffect[] {
    this.#book.desk.nodeChanged(node);
    this.#book.nodeKnown = true;
    return [...this.judgeWaiting(), ...this.retryResizes()];
  }

  /** Admits the pod that waits for the full name, if the name is free now. */
  admitNext(fullName: string): readonly PodManagerEffect[] {
    const next = this.#book.names.next(fullName);
    const pod = next === undefined ? undefined : this.#book.desired.get(next);
    return next === undefined || pod === undefined ? [] : this.admit(next, pod);
  }
}
