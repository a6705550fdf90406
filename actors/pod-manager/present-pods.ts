import { podUid, type PodUid } from '../../src/kube/ids.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import type { PodAdmitter } from './admission/admit-pods.ts';
import { removalInstruction, instruct, startAgain } from './instructions.ts';
import type { PodTable } from './pod-table.ts';
import { fullNameOf } from './pod-facts.ts';
import { surveyChanges, type Survey } from './survey-node.ts';
import type { Worker } from './worker-record.ts';

/** The pods present on the node, wanted or not. Unwanted pods are removed. */
export class PresentPods {
  readonly #podTable: PodTable;
  readonly #admitter: PodAdmitter;

  constructor(podTable: PodTable, admitter: PodAdmitter) {
    this.#podTable = podTable;
    this.#admitter = admitter;
  }

  /** The survey is complete: pods found get workers, and pods that waited for the survey start. */
  surveyedNode(survey: Survey): readonly PodManagerEffect[] {
    this.#podTable.surveyed = true;
    const known = { runtimePods: this.#podTable.runtimePods.keys(), workers: this.#podTable.workers };
    const { vanished, missing, found } = surveyChanges(survey, known);
    const effects: PodManagerEffect[] = vanished.flatMap((uid) => this.vanished(uid));
    for (const pod of survey.runtimePods) {
      this.#podTable.runtimePods.set(pod.podUid, pod);
      if (!this.#podTable.workers.has(pod.podUid)) this.#podTable.names.enter(fullNameOf(pod), pod.podUid);
    }
    effects.push(...missing.flatMap((uid) => startAgain(this.#podTable, uid)));
    for (const uid of found) {
      const pod = this.#podTable.desired.get(uid);
      // The pod is already alive, so it continues, or is removed once the sources are complete.
      if (pod !== undefined) effects.push(...this.#admitter.sync(uid, pod));
      else
        this.#podTable.workers.set(uid, { fullName: this.#podTable.runtimeName(uid), pod: undefined, stage: 'wanted' });
    }
    const unminded = [...this.#podTable.desired].flatMap(([uid, pod]) =>
      this.#podTable.workers.has(uid) ? [] : [pod],
    );
    for (const pod of this.#admitter.inOrder(unminded))
      effects.push(...this.#admitter.admit(podUid(pod.metadata.uid), pod));
    return [...effects, ...this.sweep()];
  }

  /** A pod has appeared in the runtime. */
  appeared(pod: RuntimePodName): readonly PodManagerEffect[] {
    this.#podTable.runtimePods.set(pod.podUid, pod);
    if (!this.#podTable.workers.has(pod.podUid)) this.#podTable.names.enter(fullNameOf(pod), pod.podUid);
    return this.orphan(pod.podUid);
  }

  /** The runtime holds nothing of the pod any more. */
  vanished(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.#podTable.runtimeName(uid);
    // A pod with a worker counts as gone when its worker reports that nothing is left.
    if (!this.#podTable.runtimePods.delete(uid) || this.#podTable.workers.has(uid)) return [];
    this.#podTable.doubted.settled(uid);
    this.#podTable.names.leave(fullName, uid);
    return this.#podTable.surveyed ? [...this.#admitter.admitNext(fullName), ...this.#admitter.settle()] : [];
  }

  /** Removes present pods that no source wants, once every source is complete and the node is surveyed. */
  sweep(): readonly PodManagerEffect[] {
    if (!this.#podTable.knowsAll) return [];
    const effects: PodManagerEffect[] = [];
    for (const [uid, worker] of this.#podTable.workers) {
      if (this.#podTable.desired.has(uid) || worker.stage === 'going') continue;
      effects.push(...(this.#mayExist(uid) ? this.#askServer(uid) : this.removePod(uid, worker)));
    }
    for (const uid of this.#podTable.runtimePods.keys()) effects.push(...this.orphan(uid));
    return [...effects, ...this.#admitter.settle()];
  }

  /** A pod in the runtime without a source or a worker gets a worker that removes it. */
  orphan(uid: PodUid): readonly PodManagerEffect[] {
    const isKnown = this.#podTable.desired.has(uid) || this.#podTable.workers.has(uid);
    if (!this.#podTable.knowsAll || isKnown || !this.#podTable.runtimePods.has(uid)) return [];
    return this.#mayExist(uid) ? this.#askServer(uid) : this.#removeOrphan(uid);
  }

  #removeOrphan(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.#podTable.runtimeName(uid);
    this.#podTable.names.enter(fullName, uid);
    this.#podTable.workers.set(uid, { fullName, pod: undefined, stage: 'going' });
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...instruct(this.#podTable, uid)];
  }

  /** `true` if the API may have the pod although no watch brought it. */
  #mayExist(uid: PodUid): boolean {
    return this.#podTable.server === 'api' && !this.#podTable.draining && this.#podTable.runtimePods.has(uid);
  }

  #askServer(uid: PodUid): readonly PodManagerEffect[] {
    const pod = this.#podTable.runtimePods.get(uid);
    if (pod === undefined || !this.#podTable.doubted.begin(uid)) return [];
    return [{ type: 'read-pod', uid, namespace: pod.namespace, name: pod.name }];
  }

  /** Neither a source nor the server has the pod. */
  absent(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.#podTable.workers.get(uid);
    if (worker !== undefined) return this.removePod(uid, worker);
    return this.#podTable.runtimePods.has(uid) ? [...this.#removeOrphan(uid), ...this.#admitter.settle()] : [];
  }

  /** `graceSeconds` is less than the pod's own when the API no longer has the pod. */
  removePod(uid: PodUid, worker: Worker, graceSeconds?: number): readonly PodManagerEffect[] {
    const isHurried = graceSeconds !== undefined && worker.graceSeconds === undefined;
    if (worker.stage === 'going' && !isHurried) return [];
    const going: Worker = { ...worker, stage: 'going', ...(graceSeconds === undefined ? {} : { graceSeconds }) };
    this.#podTable.workers.set(uid, going);
    return [removalInstruction(uid, going, this.#podTable.runtimePods.get(uid))];
  }
}
