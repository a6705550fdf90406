import type { PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission.ts';
import { isTerminalPhase } from '../../src/pod/api-status.ts';
import type { PodManagerEffect } from './effects.ts';
import { sync } from './instructions.ts';
import type { PodBook } from './pod-book.ts';
import { byCreation, isDeleted, isFromApi, wasAdmitted } from './pod-facts.ts';
import type { Worker } from './worker-entry.ts';

/** Lets pods onto the node, and gives each its worker: at once, or when there is room, a free name, or enough is known. */
export class Entrance {
  readonly #book: PodBook;

  constructor(book: PodBook) {
    this.#book = book;
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
      const rejection = this.#book.desk.judge(uid, pod);
      if (rejection !== undefined) return this.#book.objects.rejected(uid, pod, rejection);
    }
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
    return [...resizing, ...this.#book.objects.staticPresent(uid, pod), sync(uid, { pod: allocated, resize })];
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
