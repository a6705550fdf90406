import { assertNever } from '../../kube/text/assert-never.ts';
import type { ContainerState, ContainerStateTerminated, ContainerStatus } from '../../kube/pod.ts';
import { apiTime } from '../values/api-time.ts';
import type { RuntimeContainer } from '../values/runtime-pod-status.ts';

// Reasons and texts that users and tools match on: Kubernetes' own, unaltered.
export const CONTAINER_CREATING = 'ContainerCreating';
export const POD_INITIALIZING = 'PodInitializing';
export const CONTAINER_STATUS_UNKNOWN = 'ContainerStatusUnknown';
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

/** The end of a container that was running and is gone: its real end was not observed. */
export const LOST_CONTAINER: ContainerStateTerminated = {
  exitCode: 137,
  reason: CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was deleted.  The container used to be Running',
};

/** The end of a container whose state the runtime no longer knows, or that is missing when the pod ends. */
export const UNLOCATED_CONTAINER: ContainerStateTerminated = {
  exitCode: 137,
  reason: CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was terminated',
};

const RESET_MESSAGE = 'The container is removed because RestartAllContainers in place';
export const RESET_CONTAINER: ContainerStateTerminated = {
  exitCode: 137,
  reason: RESTARTING_ALL_CONTAINERS,
  message: RESET_MESSAGE,
};
export const WAITING_FOR_RESET: ContainerState = {
  waiting: { reason: RESTARTING_ALL_CONTAINERS, message: RESET_MESSAGE },
};

/**
 * Returns the API's state for one runtime record. An unchanged state is returned as the very object of `previous`, so
 * that an unchanged container costs neither a date text nor a deep comparison later.
 */
export function containerStateOf(
  container: RuntimeContainer,
  apiId: string,
  previous: ContainerStatus | undefined,
): ContainerState {
  switch (container.state) {
    case 'running': {
      const known = previous?.containerID === apiId ? previous.state : undefined;
      return known?.running?.startedAt === undefined ? { running: { startedAt: apiTime(container.startedAt) } } : known;
    }
    case 'created':
      return { waiting: {} };
    case 'exited':
      return (
        sameEnd(previous?.state, container, apiId) ??
        sameEnd(previous?.lastState, container, apiId) ?? {
          terminated: terminatedState(container, apiId),
        }
      );
    case 'unknown':
      if (previous?.state?.running !== undefined) return { terminated: UNLOCATED_CONTAINER };
      // A container that was declared lost stays so: an end is never taken back.
      return previous?.containerID === apiId && previous.state?.terminated !== undefined
        ? previous.state
        : { waiting: {} };
    default:
      return assertNever(container.state, 'container state');
  }
}

function sameEnd(
  state: ContainerState | undefined,
  container: RuntimeContainer,
  apiId: string,
): ContainerState | undefined {
  const ended = state?.terminated;
  if (ended?.containerID !== apiId || ended.exitCode !== container.exitCode) return undefined;
  if ((ended.reason ?? '') !== container.reason || (ended.message ?? '') !== container.message) return undefined;
  return state;
}

function terminatedState(container: RuntimeContainer, apiId: string): ContainerStateTerminated {
  return {
    exitCode: container.exitCode,
    ...(container.reason === '' ? {} : { reason: container.reason }),
    ...(container.message === '' ? {} : { message: container.message }),
    // A container that could not be started has no start time.
    startedAt: apiTime(container.startedAt),
    finishedAt: apiTime(container.finishedAt),
    containerID: apiId,
  };
}
