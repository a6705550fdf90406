import { isSidecar } from '../../kube/pod-resources.ts';
import type { Pod } from '../../kube/pod.ts';

/**
 * Returns the containers that must end before this one is stopped, when the whole pod terminates (KEP-753). A sidecar
 * waits for all regular containers and for the sidecars started after it. Empty for all other containers.
 */
export function stopsAfter({ spec }: Pod, name: string): readonly string[] {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const index = sidecars.findIndex((sidecar) => sidecar.name === name);
  if (index < 0) return [];
  return [...spec.containers, ...sidecars.slice(index + 1)].map((container) => container.name);
}
