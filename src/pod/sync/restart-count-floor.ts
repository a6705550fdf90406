import type { ContainerStatus, PodStatus } from '../../kube/pod.ts';

/**
 * By container name: the least restart count of its next instance, by what was told of it. The runtime may have forgotten
 * the instance before, and its logs may not be readable; the count never goes down all the same.
 */
export function nextRestarts(told: PodStatus | undefined): ReadonlyMap<string, number> {
  const statuses: readonly ContainerStatus[] = [
    ...(told?.initContainerStatuses ?? []),
    ...(told?.containerStatuses ?? []),
  ];
  return new Map(statuses.map((status) => [status.name, status.restartCount + (isThere(status) ? 1 : 0)]));
}

/** Of one that waits, what is told may be the count of the instance to come already. */
const isThere = ({ state }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined;
