import type { ContainerStatus, PodStatus } from '../../kube/pod.ts';

/**
 * Returns the least restart count of each container's next instance, by container name, from the last reported status.
 * The count never decreases, even if the runtime has lost the previous instance and its logs are unreadable.
 */
export function nextRestarts(told: PodStatus | undefined): ReadonlyMap<string, number> {
  const statuses: readonly ContainerStatus[] = [
    ...(told?.initContainerStatuses ?? []),
    ...(told?.containerStatuses ?? []),
  ];
  return new Map(statuses.map((status) => [status.name, status.restartCount + (isThere(status) ? 1 : 0)]));
}

/** A waiting container's reported count may already be that of its next instance. */
const isThere = ({ state }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined;
