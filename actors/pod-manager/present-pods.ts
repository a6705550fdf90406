import { podUid, type PodUid } from '../../src/kube/ids.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import type { Entrance } from './admission/admit-pods.ts';
import { goodbye, instruct, startAgain } from './instructions.ts';
import type { PodBook } from './pod-table.ts';
import { fullNameOf } from './pod-facts.ts';
import { newsIn, type Survey } from './survey-node.ts';
import type { Worker } from './worker-record.ts';

/** The pods present on the node, wanted or not. Unwanted pods are removed. */
export class Holdings {
  readonly #book: PodBook;
  readonly #entrance: Entrance;

  constructor(book: PodBook, entrance: Entrance) {
    this.#book = book;
    this.#entrance = entrance;
  }

  /** The survey is complete: pods found get workers, and pods that waited for the survey start. */
  surveyedNode(survey: Survey): readonly PodManagerEffect[] {
    this.#book.surveyed = true;
    const known = { runtimePods: this.#book.runtimePods.keys(), workers: this.#book.workers };
    const { vanished, missing, found } = newsIn(survey, known);
    const effects: PodManagerEffect[] = vanished.flatMap((uid) => this.vanished(uid));
    for (const pod of survey.runtimePods) {
      this.#book.runtimePods.set(pod.podUid, pod);
      if (!this.#book.workers.has(pod.podUid)) this.#book.names.enter(fullNameOf(pod), pod.podUid);
    }
    effects.push(...missing.flatMap((uid) => startAgain(this.#book, uid)));
    for (const uid of found) {
      const pod = this.#book.desired.get(uid);
      // The pod is already alive, so it continues, or is removed once the sources are complete.
      if (pod !== undefined) effects.push(...this.#entrance.sync(uid, pod));
      else this.#book.workers.set(uid, { fullName: this.#book.runtimeName(uid), pod: undefined, stage: 'wanted' });
    }
    const unminded = [...this.#book.desired].flatMap(([uid, pod]) => (this.#book.workers.has(uid) ? [] : [pod]));
    for (const pod of this.#entrance.inOrder(unminded))
      effects.push(...this.#entrance.admit(podUid(pod.metadata.uid), pod));
    return [...effects, ...this.sweep()];
  }

  /** A pod has appeared in the runtime. */
  appeared(pod: RuntimePodName): readonly PodManagerEffect[] {
    this.#book.runtimePods.set(pod.podUid, pod);
    if (!this.#book.workers.has(pod.podUid)) this.#book.names.enter(fullNameOf(pod), pod.podUid);
    return this.orphan(pod.podUid);
  }

  /** The runtime holds nothing of the pod any more. */
  vanished(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.#book.runtimeName(uid);
    // A pod with a worker counts as gone when its worker reports that nothing is left.
    if (!this.#book.runtimePods.delete(uid) || this.#book.workers.has(uid)) return [];
    this.#book.names.leave(fullName, uid);
    return this.#book.surveyed ? [...this.#entrance.admitNext(fullName), ...this.#entrance.settle()] : [];
  }

  /** Removes present pods that no source wants, once every source is complete and the node is surveyed. */
  sweep(): readonly PodManagerEffect[] {
    if (!this.#book.knowsAll) return [];
    const effects: PodManagerEffect[] = [];
    for (const [uid, worker] of this.#book.workers)
      if (!this.#book.desired.has(uid)) effects.push(...this.takeAway(uid, worker));
    for (const uid of this.#book.runtimePods.keys()) effects.push(...this.orphan(uid));
    return [...effects, ...this.#entrance.settle()];
  }

  /** A pod in the runtime without a source or a worker gets a worker that removes it. */
  orphan(uid: PodUid): readonly PodManagerEffect[] {
    const isKnown = this.#book.desired.has(uid) || this.#book.workers.has(uid);
    if (!this.#book.knowsAll || isKnown || !this.#book.runtimePods.has(uid)) return [];
    const fullName = this.#book.runtimeName(uid);
    this.#book.names.enter(fullName, uid);
    this.#book.workers.set(uid, { fullName, pod: undefined, stage: 'going' });
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...instruct(this.#book, uid)];
  }

  /** `graceSeconds` is less than the pod's own when the API no longer has the pod. */
  takeAway(uid: PodUid, worker: Worker, graceSeconds?: number): readonly PodManagerEffect[] {
    const isHurried = graceSeconds !== undefined && worker.graceSeconds === undefined;
    if (worker.stage === 'going' && !isHurried) return [];
    const going: Worker = { ...worker, stage: 'going', ...(graceSeconds === undefined ? {} : { graceSeconds }) };
    this.#book.workers.set(uid, going);
    return [goodbye(uid, going, this.#book.runtimePods.get(uid))];
  }
}
