import type { Container, ContainerStatus, Pod, PodPhase, PodSpec } from '../../kube/pod.ts';
import { RESTARTING_ALL_CONTAINERS } from './container-state.ts';
import { isRestartedAfter } from '../sync/should-restart.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { isStaticPod } from '../../kube/manifest/static-pod.ts';

export interface PhaseInput {
  readonly pod: Pod;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** `true` if a regular container exists in the newest sandbox, in any state. */
  readonly regularContainerInActiveSandbox: boolean;
  /** `true` if every container has been stopped for good: only success or failure remains to be decided. */
  readonly podIsTerminal: boolean;
}

/**
 * Returns the phase that the containers alone give. `apiPodStatus` adds that a terminal phase stays, and that a passed
 * deadline is a failure.
 */
export function podPhase(input: PhaseInput): PodPhase {
  const { pod } = input;
  const count = newCount();
  for (const container of pod.spec.initContainers ?? []) {
    const status = statusOf(input.initStatuses, container.name);
    if (isSidecar(container)) countSidecar(count, status);
    else countInit(count, pod.spec, { container, status });
  }
  for (const container of pod.spec.containers) {
    countRegular(count, pod.spec, { container, status: statusOf(input.statuses, container.name) });
  }

  if (count.failedInitForGood > 0) return 'Failed';
  if (count.pendingInit > 0) return 'Pending';
  if (count.pendingSidecar > 0 && !input.regularContainerInActiveSandbox) return 'Pending';
  if (count.waiting > 0) return 'Pending';
  if (count.unknown > 0) return 'Pending';
  if (count.running > 0) return 'Running';
  if (count.stopped === 0) return 'Pending';

  const ended = count.stopped === count.succeeded ? 'Succeeded' : 'Failed';
  // A static pod has no API object to finish: it runs again as soon as its file asks for it.
  if (input.podIsTerminal && !isStaticPod(pod)) return ended;
  return count.stopped > count.stoppedForGood ? 'Running' : ended;
}

interface Count {
  pendingInit: number;
  failedInitForGood: number;
  pendingSidecar: number;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  stoppedForGood: number;
  succeeded: number;
}

const newCount = (): Count => ({
  pendingInit: 0,
  failedInitForGood: 0,
  pendingSidecar: 0,
  unknown: 0,
  running: 0,
  waiting: 0,
  stopped: 0,
  stoppedForGood: 0,
  succeeded: 0,
});

interface Counted {
  readonly container: Container;
  readonly status: ContainerStatus | undefined;
}

function countInit(count: Count, spec: PodSpec, { container, status }: Counted): void {
  const ended = status?.state?.terminated ?? (isWaiting(status) ? status?.lastState?.terminated : undefined);
  if (ended === undefined) count.pendingInit += 1;
  else if (ended.exitCode !== 0 && !comesBack(spec, container, ended)) count.failedInitForGood += 1;
}

function countSidecar(count: Count, status: ContainerStatus | undefined): void {
  if (status === undefined) {
    count.unknown += 1;
  } else if (status.state?.running !== undefined) {
    if (status.started !== true) count.pendingSidecar += 1;
    count.running += 1;
  } else if (isWaiting(status) && status.lastState?.terminated === undefined) {
    count.pendingSidecar += 1;
    count.waiting += 1;
  }
}

function countRegular(count: Count, spec: PodSpec, { container, status }: Counted): void {
  if (status === undefined) {
    count.unknown += 1;
    return;
  }
  if (status.state?.running !== undefined) {
    count.running += 1;
    return;
  }
  const terminated = status.state?.terminated;
  const ended = terminated ?? status.lastState?.terminated;
  if (ended === undefined) {
    count.waiting += 1;
    return;
  }
  count.stopped += 1;
  if (terminated?.exitCode === 0) count.succeeded += 1;
  if (!comesBack(spec, container, ended)) count.stoppedForGood += 1;
}

/** The exit code of an in-place restart of all containers is not the container's own. */
const comesBack = (
  spec: PodSpec,
  container: Container,
  ended: { readonly exitCode: number; readonly reason?: string },
): boolean => ended.reason === RESTARTING_ALL_CONTAINERS || isRestartedAfter(spec, container, ended.exitCode);

const isWaiting = (status: ContainerStatus | undefined): boolean =>
  status !== undefined && status.state?.running === undefined && status.state?.terminated === undefined;

const statusOf = (statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined =>
  statuses.find((status) => status.name === name);
