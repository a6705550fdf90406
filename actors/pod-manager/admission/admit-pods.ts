import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../../src/kube/pod.ts';
import { restsOnNodeObject, type AdmissionNode, type Rejection } from '../../../src/node/admission/admission.ts';
import { isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import type { PodManagerEffect } from '../effects.ts';
import { sync } from '../instructions.ts';
import { Preemptor } from './preempt.ts';
import { SecondJudgements } from './second-judgements.ts';
import type { PodTable } from '../pod-table.ts';
import { byCreation, isDeleted, isFromApi, wasAdmitted } from '../pod-facts.ts';
import type { Worker } from '../worker-record.ts';

/** Admits pods and gives each a worker: at once, or once there is room, a free full name, or enough knowledge. */
export class PodAdmitter {
  readonly #podTable: PodTable;
  readonly #preemptor: Preemptor;
  readonly #secondJudgements = new SecondJudgements();
  /** Pods that the Node object was read for: the next judgement is their last. */
  #lastJudged: ReadonlySet<PodUid> = new Set();

  constructor(podTable: PodTable) {
    this.#podTable = podTable;
    this.#preemptor = new Preemptor(podTable);
  }

  /**
   * Orders pods that arrive together: first the pods already on the node, which are not judged again, then the others
   * in the API's order of creation. The others share the resources that the first leave free.
   */
  inOrder(pods: readonly Pod[]): readonly Pod[] {
    if (pods.length < 2) return pods;
    const isOnNode = (pod: Pod): boolean => {
      const uid = podUid(pod.metadata.uid);
      return this.#podTable.workers.has(uid) || this.#podTable.runtimePods.has(uid) || wasAdmitted(pod);
    };
    const [here, coming]: [Pod[], Pod[]] = [[], []];
    for (const pod of pods) (isOnNode(pod) ? here : coming).push(pod);
    return [...here, ...coming.sort(byCreation)];
  }

  /**
   * Starts the pod's worker, or lets the pod wait for its full name. A pod that may already be running gets a worker at
   * once.
   */
  admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const mayRun = this.#podTable.runtimePods.has(uid);
    // A pod that has ended and left nothing on the node needs no worker.
    if (!mayRun && isFromApi(pod) && isTerminalPhase(pod.status?.phase))
      return this.#podTable.objects.over(uid, pod, pod.status ?? {});
    const earlierEnd = mayRun ? undefined : this.#podTable.objects.earlierEnd(uid);
    if (earlierEnd !== undefined && !isFromApi(pod))
      return [...this.#podTable.objects.staticPresent(uid, pod), ...this.#podTable.objects.over(uid, pod, earlierEnd)];
    if (!mayRun && !this.#podTable.names.isFreeFor(fullName, uid)) {
      this.#podTable.names.wait(fullName, uid);
      return [];
    }
    if (!mayRun && !isDeleted(pod) && !wasAdmitted(pod)) {
      if (isFromApi(pod) && !this.#podTable.canJudge) {
        this.#podTable.nodeAdmission.wait(uid);
        return [];
      }
      if (this.#podTable.preemptions.isWaiting(uid)) return [];
      const resumed = this.#preemptor.resume(uid, pod);
      if (resumed !== undefined) return [...resumed, ...this.settle()];
      const judgement = this.#podTable.nodeAdmission.judge(uid, pod, this.#preemptor.mayEnd);
      if (judgement.type === 'rejected') return this.#refuse(uid, pod, judgement.rejection);
      if (judgement.type === 'after') return this.#preemptor.begin(uid, judgement);
    }
    return this.#start(uid, pod);
  }

  /**
   * A pod that only the Node object speaks against waits for that object as the server has it now. The pod is judged
   * again whenever the object changes, and rejected by the object that was read.
   */
  #refuse(uid: PodUid, pod: Pod, rejection: Rejection): readonly PodManagerEffect[] {
    if (this.#podTable.server === 'none' || !restsOnNodeObject(rejection) || this.#lastJudged.has(uid))
      return this.#podTable.objects.rejected(uid, pod, rejection);
    this.#podTable.nodeAdmission.wait(uid);
    this.#secondJudgements.refused(uid);
    return this.#readNode();
  }

  #readNode(): readonly PodManagerEffect[] {
    return this.#secondJudgements.begin() ? [{ type: 'read-node' }] : [];
  }

  /** The Node object was read for pods that it speaks against. `undefined`: the server has none. */
  nodeRead(node: AdmissionNode | undefined): readonly PodManagerEffect[] {
    this.#lastJudged = this.#secondJudgements.ended();
    const effects = node === undefined ? this.judgeWaiting() : this.nodeObserved(node);
    this.#lastJudged = new Set();
    return [...effects, ...this.#readNode()];
  }

  #start(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const mayRun = this.#podTable.runtimePods.has(uid);
    return [{ type: 'start-worker', uid, history: mayRun ? 'maybe-running' : 'fresh' }, ...this.sync(uid, pod)];
  }

  /** The pod is on the node: sends it to its worker, with its allocated resources. */
  sync(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    this.#podTable.names.waitNoMore(fullName, uid);
    this.#podTable.names.enter(fullName, uid);
    const { eviction, pod: before } = this.#podTable.workers.get(uid) ?? {};
    const resizing = isDeleted(pod)
      ? []
      : this.#podTable.resizes.request(uid, pod, { before, nodeAdmission: this.#podTable.nodeAdmission });
    const allocated = this.#podTable.objects.withEarlierStatus(uid, this.#podTable.resizes.allocated(uid, pod));
    const resize = this.#podTable.resizes.reportOf(uid);
    this.#podTable.workers.set(uid, {
      fullName,
      pod: allocated,
      stage: isDeleted(pod) ? 'going' : 'wanted',
      eviction,
      resize,
    });
    if (!isTerminalPhase(pod.status?.phase)) this.#podTable.nodeAdmission.countAdmitted(uid, allocated);
    const room: readonly PodManagerEffect[] = this.#podTable.preemptions.end(uid)
      ? [{ type: 'keep-victims', uid, victims: [] }]
      : [];
    const going = this.#preemptor.known(uid);
    return [
      ...room,
      ...resizing,
      ...this.#podTable.objects.staticPresent(uid, pod),
      sync(uid, { pod: allocated, resize }),
      ...going,
    ];
  }

  /** Nothing of the pod runs any more: pods that waited for its end, or for room, may start now. */
  left(uid: PodUid): readonly PodManagerEffect[] {
    return [...this.#startReady(this.#podTable.preemptions.gone(uid)), ...this.retryResizes()];
  }

  /** Admits pods whose victims have all ended, as far as known. */
  settle(): readonly PodManagerEffect[] {
    return this.#startReady(this.#preemptor.settled());
  }

  /** The victims' time is over: the pod is admitted anyway, as the kubelet does. */
  overdue(uid: PodUid): readonly PodManagerEffect[] {
    return this.#podTable.preemptions.isWaiting(uid)
      ? [...this.#preemptor.overdue(uid), ...this.#startReady([uid])]
      : [];
  }

  #startReady(uids: readonly PodUid[]): readonly PodManagerEffect[] {
    return uids.flatMap((uid) => {
      const pod = this.#podTable.desired.get(uid);
      return pod === undefined || this.#podTable.workers.has(uid) ? [] : this.#start(uid, pod);
    });
  }

  /** A pod has left the node, or some time has passed: deferred resizes are tried again. */
  retryResizes(): readonly PodManagerEffect[] {
    if (!this.#podTable.resizes.isAnyPending) return [];
    return this.#podTable.resizes.deferred(this.#podTable.desired).flatMap((uid) => {
      const [pod, worker] = [this.#podTable.desired.get(uid), this.#podTable.workers.get(uid)];
      if (pod === undefined || worker?.stage !== 'wanted') return [];
      const before = this.#podTable.resizes.reportOf(uid)?.pending;
      const effects = this.#podTable.resizes.request(uid, pod, {
        before: worker.pod,
        nodeAdmission: this.#podTable.nodeAdmission,
      });
      const after = this.#podTable.resizes.reportOf(uid)?.pending;
      return after?.message === before?.message ? [] : [...effects, ...this.#resized(uid, pod, worker)];
    });
  }

  #resized(uid: PodUid, pod: Pod, worker: Worker): readonly PodManagerEffect[] {
    const [allocated, resize] = [this.#podTable.resizes.allocated(uid, pod), this.#podTable.resizes.reportOf(uid)];
    this.#podTable.workers.set(uid, { ...worker, pod: allocated, resize });
    return [sync(uid, { pod: allocated, resize })];
  }

  /** Judges the pods that could not be judged before. */
  judgeWaiting(): readonly PodManagerEffect[] {
    const waiting = this.#podTable.nodeAdmission.takeWaiting().flatMap((uid) => {
      const pod = this.#podTable.desired.get(uid);
      return pod === undefined || this.#podTable.workers.has(uid) ? [] : [{ uid, pod }];
    });
    return waiting.sort((one, other) => byCreation(one.pod, other.pod)).flatMap(({ uid, pod }) => this.admit(uid, pod));
  }

  /** The Node object was observed. */
  nodeObserved(node: AdmissionNode): readonly PodManagerEffect[] {
    this.#podTable.nodeAdmission.nodeChanged(node);
    this.#podTable.nodeKnown = true;
    return [...this.judgeWaiting(), ...this.retryResizes()];
  }

  /** Admits the pod that waits for the full name, if the name is free now. */
  admitNext(fullName: string): readonly PodManagerEffect[] {
    const next = this.#podTable.names.next(fullName);
    const pod = next === undefined ? undefined : this.#podTable.desired.get(next);
    return next === undefined || pod === undefined ? [] : this.admit(next, pod);
  }
}
