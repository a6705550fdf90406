import type { Pod } from '../../../src/kube/pod.ts';
import type { ContainerType, PodWorkerMetrics } from '../metrics.ts';
import type { ActResult } from '../protocol.ts';

/** The reason shown for a container that the sync attempt did not reach: not a failure. */
const NOT_TRIED = 'ContainerCreating';

/** Counts the containers that a sync attempt tried to start, and those that failed. */
export function countResult(
  metrics: PodWorkerMetrics,
  pod: Pod,
  { tried, failures }: Pick<ActResult, 'tried' | 'failures'>,
): void {
  if (tried.size === 0) return;
  const types = containerTypes(pod);
  for (const name of tried) metrics.containerTried(types.get(name) ?? 'container');
  for (const [name, { reason }] of failures) {
    if (tried.has(name) && reason !== NOT_TRIED) metrics.containerFailed(types.get(name) ?? 'container', reason);
  }
}

function containerTypes({ spec }: Pod): ReadonlyMap<string, ContainerType> {
  const named = (containers: Pod['spec']['initContainers'] = [], type: ContainerType) =>
    containers.map(({ name }) => [name, type] as const);
  return new Map([
    ...named(spec.initContainers, 'init_container'),
    ...named(spec.ephemeralContainers, 'ephemeral_container'),
  ]);
}
