import type { Pod, Quantity } from '../../kube/pod.ts';
import { podTotal } from '../../kube/pod-resources.ts';
import { quantityNano, quantityValue } from '../../kube/quantity.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';

const NANO = 1_000_000_000n;

/**
 * Returns the size limit of a volume in memory: the smallest of the node's allocatable memory, the pod's limit, and the
 * volume's own limit (KEP-1967). If one container of the pod has no limit, the limits of the others do not bound the
 * volume.
 */
export function memoryVolumeBytes(pod: Pod, node: NodeFacts, sizeLimit?: Quantity): number | undefined {
  const bounds = [quantityNano(node.allocatable['memory']), podMemoryLimit(pod), quantityNano(sizeLimit)].filter(
    (bound) => bound > 0n,
  );
  const least = bounds.sort((one, other) => (one < other ? -1 : 1))[0];
  return least === undefined ? undefined : Number(least / NANO);
}

function podMemoryLimit({ spec }: Pod): bigint {
  if (quantityValue(spec.resources?.limits?.['memory']) > 0n) return quantityNano(spec.resources?.limits?.['memory']);
  const isBounded = spec.containers.every(({ resources }) => quantityValue(resources?.limits?.['memory']) > 0n);
  return isBounded ? (podTotal(spec, 'limits').get('memory') ?? 0n) : 0n;
}
