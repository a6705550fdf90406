import type { Container, Pod, QosClass } from '../../kube/pod.ts';
import { quantityValue } from '../../kube/quantity.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';

/** A container, with the limit that it has of its own or of its pod as a whole. */
export interface SwapQuestion {
  readonly pod: Pod;
  readonly container: Container;
  readonly qos: QosClass;
  readonly memoryLimit: bigint;
}

/** Whether a container may swap on a node where some may: burstable ones that have asked for less than their limit (KEP-2400). */
export function maySwap({ pod, container, qos, memoryLimit }: SwapQuestion): boolean {
  const request = quantityValue(container.resources?.requests?.['memory']);
  return qos === 'Burstable' && !isCriticalPod(pod) && request > 0n && request !== memoryLimit;
}
