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
  type AdmissionAround,
  type AdmissionRules,
  type Judgement,
} from '../../../src/node/admission/pod-admission.ts';

const ADMITTED: Judgement = { type: 'admitted' };

/**
 * Lets pods onto the node in their order of arrival. A pod that was let on once stays so, over restarts of anything:
 * what it has taken is counted, and it is not judged again.
 */
export class AdmissionDesk {
  #node: AdmissionNode | undefined;
  readonly #rules: AdmissionRules;
  #isShuttingDown = false;
  #pressures: Pressures | undefined;
  readonly #admitted = new AdmittedPods();
  /** Pods that cannot be judged yet, in order of arrival. */
  readonly #waiting = new Set<PodUid>();

  /** Undefined: every pod is let on. */
  constructor(node: AdmissionNode | undefined, rules: AdmissionRules) {
    this.#node = node;
    this.#rules = rules;
  }

  nodeChanged(node: AdmissionNode): void {
    this.#node = node;
  }

  /** While the node goes down nobody is let on, while it is short of something not everybody. Those who are here stay. */
  told(command: NodeShuttingDown | PressuresObserved): readonly never[] {
    if (command.type === 'pressures-observed') this.#pressures = command.pressures;
    else this.#isShuttingDown = command.shuttingDown;
    return [];
  }

  /** Undefined: nobody has said so far. */
  get pressures(): Pressures | undefined {
    return this.#pressures;
  }

  /**
   * A pod that is let on is counted from now on; so is one for which others have to end, and these no more.
   * `mayEnd`: which of those that are here may be ended for another, if that one may displace them.
   */
  judge(uid: PodUid, pod: Pod, mayEnd: (uid: PodUid) => boolean): Judgement {
    const isIn = this.#node === undefined || this.#admitted.has(uid);
    const judgement =
      isIn || this.#node === undefined ? ADMITTED : judgePod(pod, { ...this.#around(this.#node), mayEnd });
    if (judgement.type === 'after') this.displace(judgement.victims);
    if (judgement.type !== 'rejected') this.letIn(uid, pod);
    return judgement;
  }

  /** They are to end for another. */
  displace(victims: readonly PodUid[]): void {
    for (const victim of victims) this.#admitted.yield(victim);
  }

  get node(): AdmissionNode | undefined {
    return this.#node;
  }

  /** Whether what a pod has as a whole may change while it runs (KEP-5419). */
  get mayResizePods(): boolean {
    return this.#rules.isOn('InPlacePodLevelResourcesVerticalScaling');
  }

  get swap(): 'limited' | 'none' {
    return this.#rules.swap ?? 'none';
  }

  /** Whether a pod that is here may have what it asks for now, instead of what it has. Undefined: it may, and is counted so. */
  judgeResize(uid: PodUid, pod: Pod, allocated: Pod): Rejection | undefined {
    if (this.#node === undefined) return undefined;
    this.#admitted.remove(uid);
    const rejection = judgeMore(pod, this.#around(this.#node));
    this.#admitted.add(uid, rejection === undefined ? pod : allocated);
    return rejection;
  }

  #around(node: AdmissionNode): AdmissionAround {
    return {
      node,
      admitted: this.#admitted,
      pressures: this.#pressures,
      shutdown: this.#isShuttingDown ? 'begun' : 'none',
      rules: this.#rules,
    };
  }

  /** It is here already, whatever a judgement would be now. */
  letIn(uid: PodUid, pod: Pod): void {
    if (this.#node !== undefined) this.#admitted.add(uid, pod);
  }

  /** It asks for nothing any more. */
  left(uid: PodUid): void {
    this.#admitted.remove(uid);
    this.#waiting.delete(uid);
  }

  wait(uid: PodUid): void {
    this.#waiting.add(uid);
  }

  /** Everyone who has waited, in order; they wait no longer. */
  takeWaiting(): readonly PodUid[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting;
  }
}
