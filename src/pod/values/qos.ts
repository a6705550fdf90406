import type { Pod, PodSpec, QosClass, ResourceRequirements } from '../../kube/pod.ts';
import { quantityMilli } from '../../kube/quantity.ts';

/** The only resources that count for the class: storage and devices do not. */
const COUNTED = ['cpu', 'memory'] as const;
type Counted = (typeof COUNTED)[number];

/**
 * Returns the quality-of-service class. Resources of the pod as a whole (KEP-2837) decide alone if present; otherwise
 * all its containers together, init containers included. A zero amount counts as absent, but a request of zero below a limit
 * is no equal of it. An absent request is its limit, as defaulting has it.
 */
export function qosClass({ spec }: Pod): QosClass {
  const holders = resourceHolders(spec);
  let isGuaranteed = holders.length > 0;
  let isBestEffort = true;
  for (const resources of holders) {
    for (const name of COUNTED) {
      const limit = amount(resources, 'limits', name);
      const request = amount(resources, 'requests', name);
      const isRequested = resources?.requests?.[name] !== undefined;
      if (limit > 0n || request > 0n) isBestEffort = false;
      if (limit === 0n || (isRequested && request !== limit)) isGuaranteed = false;
    }
  }
  if (isBestEffort) return 'BestEffort';
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function resourceHolders(spec: PodSpec): readonly (ResourceRequirements | undefined)[] {
  if (COUNTED.some((name) => isNamed(spec.resources, name))) return [spec.resources];
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources);
}

const isNamed = (resources: ResourceRequirements | undefined, name: Counted): boolean =>
  resources?.limits?.[name] !== undefined || resources?.requests?.[name] !== undefined;

const amount = (resources: ResourceRequirements | undefined, kind: 'limits' | 'requests', name: Counted): bigint =>
  quantityMilli(resources?.[kind]?.[name]);
