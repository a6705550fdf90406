import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { AdmissionNode, Rejection } from '../../../src/node/admission/admission.ts';
import type { PressuresObserved } from '../../eviction-manager/protocol.ts';
import type { NodeShuttingDown } from '../../node-shutdown/protocol.ts';
import type { Pressures } from '../../../src/node/object/node-conditions.ts';
import { AdmittedPods } from '../../../src/node/admission/admitted-pods.ts';
import {
  judgeMore,
  judgePod,
  type AdmissionFacts,
  type AdmissionRules,
  type Judgement,
} from '../../../src/node/admission/pod-admission.ts';

const ADMITTED: Judgement = { type: 'admitted' };

/**
 * Admits pods to the node in their order of arrival. An admitted pod stays admitted over every restart: its resources
 * are counted, and it is not judged again.
 */
export class NodeAdmission {
  #node: AdmissionNode | undefined;
  readonly #rules: AdmissionRules;
  #isShuttingDown = false;
  #pressures: Pressures | undefined;
  readonly #admitted = new AdmittedPods();
  /** Pods that cannot be judged yet, in order of arrival. */
  readonly #waiting = new Set<PodUid>();

  /** Every pod is admitted when `node` is `undefined`. */
  constructor(node: AdmissionNode | undefined, rules: AdmissionRules) {
    this.#node = node;
    this.#rules = rules;
  }

  nodeChanged(node: AdmissionNode): void {
    this.#node = node;
  }

  /** A node that shuts down admits no pod; a node under pressure admits only some. Pods already on the node stay. */
  noteNodeReport(command: NodeShuttingDown | PressuresObserved): readonly never[] {
    if (command.type === 'pressures-observed') this.#pressures = command.pressures;
    else this.#isShuttingDown = command.shuttingDown;
    return [];
  }

  /** `undefined` before the first report. */
  get pressures(): Pressures | undefined {
    return this.#pressures;
  }

  /**
   * Counts an admitted pod from now on. A pod that preempts others is counted too, and its victims no longer. `mayEnd`
   * returns `true` for pods on this node that may be preempted by a pod of higher rank.
   */
  judge(uid: PodUid, pod: Pod, mayEnd: (uid: PodUid) => boolean): Judgement {
    const isIn = this.#node === undefined || this.#admitted.has(uid);
    const judgement =
      isIn || this.#node === undefined ? ADMITTED : judgePod(pod, { ...this.#facts(this.#node), mayEnd });
    if (judgement.type === 'after') this.stopCounting(judgement.victims);
    if (judgement.type !== 'rejected') this.countAdmitted(uid, pod);
    return judgement;
  }

  /** Stops counting the victims of a preemption. */
  stopCounting(victims: readonly PodUid[]): void {
    for (const victim of victims) this.#admitted.yield(victim);
  }

  get node(): AdmissionNode | undefined {
    return this.#node;
  }

  /** `true` if the resources of a whole pod may change while it runs (KEP-5419). */
  get mayResizePods(): boolean {
    return this.#rules.isOn('InPlacePodLevelResourcesVerticalScaling');
  }

  get swap(): 'limited' | 'none' {
    return this.#rules.swap ?? 'none';
  }

  /**
   * Judges whether a pod on this node may get the resources it requests now. `undefined` when it may; the new resources
   * are then counted.
   */
  judgeResize(uid: PodUid, pod: Pod, allocated: Pod): Rejection | undefined {
    if (this.#node === undefined) return undefined;
    this.#admitted.remove(uid);
    const rejection = judgeMore(pod, this.#facts(this.#node));
    this.#admitted.add(uid, rejection === undefined ? pod : allocated);
    return rejection;
  }

  #facts(node: AdmissionNode): AdmissionFacts {
    return {
      node,
      admitted: this.#admitted,
      pressures: this.#pressures,
      shutdown: this.#isShuttingDown ? 'begun' : 'none',
      rules: this.#rules,
    };
  }

  /** Counts a pod that is on the node already, whatever a judgement would be now. */
  countAdmitted(uid: PodUid, pod: Pod): void {
    if (this.#node !== undefined) this.#admitted.add(uid, pod);
  }

  /** Stops counting the pod's resources. */
  podLeft(uid: PodUid): void {
    this.#admitted.remove(uid);
    this.#waiting.delete(uid);
  }

  wait(uid: PodUid): void {
    this.#waiting.add(uid);
  }

  /** Returns all waiting pods in order, and ends their wait. */
  takeWaiting(): readonly PodUid[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting;
  }
}
