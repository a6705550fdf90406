import type { ContainerStatus, Pod, PodStatus } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { isStaticPod } from '../../kube/manifest/static-pod.ts';
import { isTerminalPhase } from './api-status.ts';
import { UNLOCATED_CONTAINER } from './container-state.ts';

/**
 * Returns the last status of a pod that has been cleaned up. Containers whose end was never observed are lost, and are
 * reported as failed rather than guessed to have succeeded. Regular containers of a pod that never started any of them
 * stay as they are.
 */
export function terminateStatus(pod: Pod, status: PodStatus): PodStatus {
  const init = status.initContainerStatuses;
  const isOver = isTerminalPhase(status.phase) || isStaticPod(pod);
  return {
    ...status,
    ...(isOver ? {} : { phase: 'Failed' }),
    ...(status.containerStatuses === undefined || !hasPodInitialized(pod, status)
      ? {}
      : { containerStatuses: status.containerStatuses.map(ended) }),
    ...(init === undefined ? {} : { initContainerStatuses: endedInit(init) }),
  };
}

/**
 * `true` if the pod got as far as its regular containers. Their own records are the best evidence. An init container's
 * end counts only if the API knew it when the pod was last handed over (`pod.status`). An init container stopped with
 * its pod may have exited 0 before its followers were due.
 */
export function hasPodInitialized(pod: Pod, status: PodStatus): boolean {
  const { initContainers = [] } = pod.spec;
  if (initContainers.length === 0) return true;
  const regular = [...(status.containerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  if (regular.some(hasStarted)) return true;

  const last = initContainers.at(-1);
  const known = pod.status?.initContainerStatuses?.find(({ name }) => name === last?.name);
  if (last === undefined || known === undefined) return false;
  if (isSidecar(last)) return known.started === true;
  return known.state?.terminated?.exitCode === 0 || known.lastState?.terminated?.exitCode === 0;
}

const hasStarted = ({ state, lastState }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;

const ended = (status: ContainerStatus): ContainerStatus =>
  status.state?.terminated === undefined
    ? { ...status, ready: false, started: false, state: { terminated: UNLOCATED_CONTAINER } }
    : status;

/** Init containers behind the last started one have no end to report; the first always has. */
function endedInit(statuses: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const lastStarted = Math.max(statuses.findLastIndex(hasStarted), 0);
  return statuses.map((status, index) => (index <= lastStarted ? ended(status) : status));
}
