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

/** So much later than a pod the node that it was sent to may be heard of. */
const LABELS_WITHIN_MS = 1_000;

/** Lets pods onto the node, and gives each its worker: at once, or when there is room, a free name, or enough is known. */
export class Entrance {
  readonly #book: PodBook;
  readonly #room: MakingRoom;
  /** Pods of the API that the node does not seem to be labelled for, as far as it has been heard of. */
  readonly #doubted = new Set<PodUid>();
  #judgedLast: PodUid | undefined;

  constructor(book: PodBook) {
    this.#book = book;
    this.#room = new MakingRoom(book);
  }

  /**
   * Pods that come to be known together, in the order in which they are let in: those that are here already, which are not
   * judged again, and then the others as the API made them. What these may have is what those leave them.
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

  /** Starts the pod's worker, or lets it wait for its name. One that may be running already is minded at once. */
  admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const mayRun = this.#book.runtimePods.has(uid);
    // What has ended and left nothing here is history: it costs no worker.
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
   * Nodes and pods are told by different watches: a label because of which a pod was sent here may be heard of after the pod.
   * So a pod of which only that is missing is judged again whenever the node is heard of, and refused when some time is over.
   */
  #refuse(uid: PodUid, pod: Pod, rejection: Rejection): readonly PodManagerEffect[] {
    if (rejection.reason !== 'NodeAffinity' || !isFromApi(pod) || this.#judgedLast === uid)
      return this.#book.objects.rejected(uid, pod, rejection);
    this.#book.desk.wait(uid);
    if (this.#doubted.has(uid)) return [];
    this.#doubted.add(uid);
    return [{ type: 'judge-later', uid, afterMs: LABELS_WITHIN_MS }];
  }

  /** Whatever is known of the node by now counts. */
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

  /** The pod is on the node: its worker is told what it is, with the resources that it has been given. */
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

  /** Nothing of the pod runs any more: who has waited for that, or for room, may come now. */
  left(uid: PodUid): readonly PodManagerEffect[] {
    return [...this.#comeIn(this.#book.preemptions.gone(uid)), ...this.retryResizes()];
  }

  /** As far as it is known by now, those for whom others were to end wait for nobody any more. */
  settle(): readonly PodManagerEffect[] {
    return this.#comeIn(this.#room.settled());
  }

  /** Those who were to end have had their time: the pod comes all the same, as on other nodes. */
  overdue(uid: PodUid): readonly PodManagerEffect[] {
    return this.#book.preemptions.isWaiting(uid) ? [...this.#room.overdue(uid), ...this.#comeIn([uid])] : [];
  }

  #comeIn(uids: readonly PodUid[]): readonly PodManagerEffect[] {
    return uids.flatMap((uid) => {
      const pod = this.#book.desired.get(uid);
      return pod === undefined || this.#book.workers.has(uid) ? [] : this.#start(uid, pod);
    });
  }

  /** Something has left the node, or some time has passed: who has waited for room may have it now. */
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

  /** Those of the API's pods that nobody could judge before. */
  judgeWaiting(): readonly PodManagerEffect[] {
    if (!this.#book.canJudge) return [];
    const waiting = this.#book.desk.takeWaiting().flatMap((uid) => {
      const pod = this.#book.desired.get(uid);
      return pod === undefined || this.#book.workers.has(uid) ? [] : [{ uid, pod }];
    });
    return waiting.sort((one, other) => byCreation(one.pod, other.pod)).flatMap(({ uid, pod }) => this.admit(uid, pod));
  }

  /** The API has said what the node is like. */
  nodeObserved(node: AdmissionNode): readonly PodManagerEffect[] {
    this.#book.desk.nodeChanged(node);
    this.#book.nodeKnown = true;
    return [...this.judgeWaiting(), ...this.retryResizes()];
  }

  /** Who has waited for the name, if it is free now. */
  admitNext(fullName: string): readonly PodManagerEffect[] {
    const next = this.#book.names.next(fullName);
    const pod = next === undefined ? undefined : this.#book.desired.get(next);
    return next === undefined || pod === undefined ? [] : this.admit(next, pod);
  }
}
