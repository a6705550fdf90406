import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { admit, type AdmissionNode, type Rejection } from '../../src/node/admission.ts';
import type { PressuresObserved } from '../eviction-manager/protocol.ts';
import type { NodeShuttingDown } from '../node-shutdown/protocol.ts';
import type { Pressures } from '../../src/node/node-conditions.ts';
import { pressureRejection } from '../../src/node/eviction/pressure-admission.ts';
import { sysctlRejection } from '../../src/node/sysctl-admission.ts';
import { AdmittedPods } from '../../src/node/admitted-pods.ts';

const SHUTTING_DOWN: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/**
 * Lets pods onto the node in their order of arrival. A pod that was let on once stays so, over restarts of anything:
 * what it has taken is counted, and it is not judged again.
 */
export class AdmissionDesk {
  #node: AdmissionNode | undefined;
  readonly #allowedSysctls: readonly string[];
  #isShuttingDown = false;
  #pressures: Pressures | undefined;
  readonly #admitted = new AdmittedPods();
  /** Pods that cannot be judged yet, in order of arrival. */
  readonly #waiting = new Set<PodUid>();

  /** Undefined: every pod is let on. */
  constructor(node: AdmissionNode | undefined, allowedSysctls: readonly string[] = []) {
    this.#node = node;
    this.#allowedSysctls = allowedSysctls;
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

  /** Undefined: the pod is let on, and counted from now on. */
  judge(uid: PodUid, pod: Pod): Rejection | undefined {
    const isIn = this.#node === undefined || this.#admitted.has(uid);
    const rejection = isIn || this.#node === undefined ? undefined : this.#judgement(pod, this.#node);
    if (rejection === undefined) this.letIn(uid, pod);
    return rejection;
  }

  get node(): AdmissionNode | undefined {
    return this.#node;
  }

  /** Whether a pod that is here may have what it asks for now, instead of what it has. Undefined: it may, and is counted so. */
  judgeResize(uid: PodUid, pod: Pod, allocated: Pod): Rejection | undefined {
    if (this.#node === undefined) return undefined;
    this.#admitted.remove(uid);
    const rejection = this.#judgement(pod, this.#node);
    this.#admitted.add(uid, rejection === undefined ? pod : allocated);
    return rejection;
  }

  #judgement(pod: Pod, node: AdmissionNode): Rejection | undefined {
    return (
      (this.#pressures && pressureRejection(pod, this.#pressures)) ??
      sysctlRejection(pod, this.#allowedSysctls) ??
      admit(pod, node, this.#admitted) ??
      (this.#isShuttingDown ? SHUTTING_DOWN : undefined)
    );
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
