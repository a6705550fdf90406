import type { Container, Pod, QosClass } from '../../kube/pod.ts';
import { containersTotal, isSidecar } from '../../kube/pod-resources.ts';
import { quantityValue } from '../../kube/quantity.ts';
import { isNodeCriticalPod } from '../../kube/manifest/static-pod.ts';

/** The score of processes that the node depends on. */
const PROTECTED = -997n;
const FIRST = 1000n;
/** Burstable containers stay this far from both ends, which are reserved for protected and best-effort ones. */
const LEAST_BURSTABLE = 3n;
const MOST_BURSTABLE = 999n;

export interface OomScoreInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly qos: QosClass;
  readonly memoryCapacityBytes: bigint;
}

/**
 * Returns how early the kernel kills a container when memory runs out, from -1000 (never) to 1000 (first). The more
 * memory a Burstable container requests, the safer it is. A sidecar is at least as safe as the regular container with
 * the smallest request.
 */
export function oomScoreAdj({ pod, container, qos, memoryCapacityBytes }: OomScoreInput): bigint {
  if (qos === 'Guaranteed' || isNodeCriticalPod(pod)) return PROTECTED;
  if (qos === 'BestEffort') return FIRST;

  const share = unassignedShare(pod);
  const scoreOf = (requested: bigint): bigint =>
    memoryCapacityBytes === 0n ? FIRST : FIRST - (1000n * (requested + share)) / memoryCapacityBytes;
  let score = scoreOf(memoryRequest(container));
  if (isSidecar(container)) {
    const regular = pod.spec.containers.map(memoryRequest);
    const least = regular.reduce((lowest, request) => (request < lowest ? request : lowest), regular[0] ?? 0n);
    const regularScore = scoreOf(least);
    if (regularScore < score) score = regularScore;
  }
  if (score < LEAST_BURSTABLE) return LEAST_BURSTABLE;
  return score > MOST_BURSTABLE ? MOST_BURSTABLE : score;
}

const memoryRequest = (container: Container): bigint => quantityValue(container.resources?.requests?.['memory']);

/**
 * Returns the pod's request beyond those of its containers, in equal parts for the containers that run side by side.
 */
function unassignedShare({ spec }: Pod): bigint {
  const ofPod = spec.resources?.requests?.['memory'];
  if (ofPod === undefined) return 0n;
  const assigned = (containersTotal(spec, 'requests').get('memory') ?? 0n) / 1_000_000_000n;
  const rest = quantityValue(ofPod) - assigned;
  const sharers = spec.containers.length + (spec.initContainers ?? []).filter(isSidecar).length;
  return rest <= 0n || sharers === 0 ? 0n : rest / BigInt(sharers);
}
