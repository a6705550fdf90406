import { own } from './text/own.ts';
import type { Container, PodSpec, ResourceList } from './pod.ts';
import { quantityNano } from './quantity.ts';

/**
 * Amounts by resource name, in 10⁻⁹ units; a resource that is not mentioned has no entry. Overhead is left out: the
 * runtime and the scheduler receive it separately.
 */
export type ResourceAmounts = ReadonlyMap<string, bigint>;

export type ResourceKind = 'requests' | 'limits';

export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** `true` for resources that the pod as a whole can request (KEP-2837). */
export const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

const add = (total: Map<string, bigint>, resources: ResourceList | undefined): void => {
  for (const name in resources) total.set(name, (total.get(name) ?? 0n) + quantityNano(own(resources, name)));
};

const raise = (highest: Map<string, bigint>, amounts: ResourceAmounts): void => {
  for (const [name, amount] of amounts) if (amount > (highest.get(name) ?? -1n)) highest.set(name, amount);
};

/**
 * Returns the most that the containers need at any one time: regular containers and sidecars together, or one init
 * container beside the sidecars started before it (KEP-753).
 */
export function containersTotal(spec: PodSpec, kind: ResourceKind): ResourceAmounts {
  const total = new Map<string, bigint>();
  for (const container of spec.containers) add(total, container.resources?.[kind]);
  if (spec.initContainers === undefined) return total;

  const sidecars = new Map<string, bigint>();
  const atInit = new Map<string, bigint>();
  for (const container of spec.initContainers) {
    const resources = container.resources?.[kind];
    if (isSidecar(container)) {
      add(sidecars, resources);
      add(total, resources);
      raise(atInit, sidecars);
    } else {
      const together = new Map(sidecars);
      add(together, resources);
      raise(atInit, together);
    }
  }
  raise(total, atInit);
  return total;
}

/** Returns the pod's requests or limits: the sum of its containers, overridden by the values of the pod as a whole. */
export function podTotal(spec: PodSpec, kind: ResourceKind): ResourceAmounts {
  const ofPod = spec.resources?.[kind];
  const containers = containersTotal(spec, kind);
  if (ofPod === undefined) return containers;
  const total = new Map(containers);
  for (const name in ofPod) if (isPodLevelResource(name)) total.set(name, quantityNano(own(ofPod, name)));
  return total;
}
