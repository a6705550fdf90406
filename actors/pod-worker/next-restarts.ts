import type { ContainerStatus, PodStatus } from '../../src/kube/pod.ts';

/**
 * By container name: one more than the restart count that was told of an instance that was there. The runtime may have
 * forgotten that one, and its logs may not be readable; the count never goes down all the same.
 */
export function nextRestarts(told: PodStatus | undefined): ReadonlyMap<string, number> {
  const statuses: readonly ContainerStatus[] = [
    ...(told?.initContainerStatuses ?? []),
    ...(told?.containerStatuses ?? []),
  ];
  return new Map(statuses.filter(wasThere).map(({ name, restartCount }) => [name, restartCount + 1]));
}

const wasThere = ({ containerID, state, lastState }: ContainerStatus): boolean =>
  (containerID ?? '') !== '' || state?.terminated !== undefined || lastState?.terminated !== undefined;
