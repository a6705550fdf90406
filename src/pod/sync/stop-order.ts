import { isSidecar } from '../../kube/pod-resources.ts';
import type { Pod } from '../../kube/pod.ts';

/**
 * The containers that must have ended before this one is stopped, when the whole pod goes (KEP-753): a sidecar serves all
 * regular containers, and the sidecars that were started after it. Empty for all else.
 */
export function stopsAfter({ spec }: Pod, name: string): readonly string[] {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const index = sidecars.findIndex((sidecar) => sidecar.name === name);
  if (index < 0) return [];
  return [...spec.containers, ...sidecars.slice(index + 1)].map((container) => container.name);
}
