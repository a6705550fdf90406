import type { Container, Pod, QosClass } from '../../kube/pod.ts';
import { quantityValue } from '../../kube/quantity.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';

/** A container with its memory limit: its own, or the limit of the whole pod. */
export interface SwapQuestion {
  readonly pod: Pod;
  readonly container: Container;
  readonly qos: QosClass;
  readonly memoryLimit: bigint;
}

/**
 * `true` if a container may swap on a node that allows swap: burstable pods, with a request below the limit (KEP-2400).
 */
export function maySwap({ pod, container, qos, memoryLimit }: SwapQuestion): boolean {
  const request = quantityValue(container.resources?.requests?.['memory']);
  return qos === 'Burstable' && !isCriticalPod(pod) && request > 0n && request !== memoryLimit;
}
