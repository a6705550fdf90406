import { podUid } from '../../../src/kube/ids.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../../src/kube/pod.ts';
import { apiPodStatus, isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { emptyRuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { resizableContainers } from '../../../src/pod/sync/pod-resizes.ts';
import { mergeStatus } from '../../../src/pod/status/merge-with-previous.ts';
import { hooksUnderWay } from './hooks-under-way.ts';
import { verdictsOf } from './probes-of-pod.ts';
import { actuatedResources, actuatedWhole, withResizeConditions } from './resizing.ts';
import type { Decision, Moment, NodeSettings, PodWorkerState } from '../worker-state.ts';

/** Returns the pod's API status as this worker observes it now. `over`: everything of the pod was stopped for good. */
export function statusOf(
  state: PodWorkerState,
  pod: Pod,
  { at, over }: { readonly at: Moment & NodeSettings; readonly over?: boolean },
): PodStatus {
  const { uid, name, namespace } = pod.metadata;
  const { resizing } = state;
  const container = (name: string) => resizableContainers(pod).find((each) => each.name === name);
  const status = apiPodStatus({
    pod,
    runtime: state.observed?.status ?? emptyRuntimePodStatus({ uid: podUid(uid), name, namespace }),
    runtimeName: state.runtimeName,
    startFailure: (container) => state.memory.failures.get(container),
    probes: verdictsOf(state.probes),
    hookRuns: hooksUnderWay(state, pod),
    hostIps: state.hostIps,
    now: at.now,
    ...(state.status === undefined ? {} : { previous: state.status }),
    ...(over === true ? { podIsTerminal: true } : {}),
    ...(resizing.original === undefined
      ? {}
      : {
          actualWhole: actuatedWhole(resizing, pod),
          actualResources: (running) => {
            const known = container(running.name);
            return known === undefined ? undefined : actuatedResources(resizing, known, running);
          },
        }),
  });
  return withResizeConditions(state, pod, status);
}

/** Reports a status that contains anything new. A status that would take back a container's end is dropped. */
export function reportStatus(
  state: PodWorkerState,
  pod: Pod,
  { status, at }: { readonly status: PodStatus; readonly at: Moment },
): Decision {
  const merge = mergeStatus({ pod, cached: state.status, next: status, now: at.now });
  if (merge.type !== 'changed') return { next: state, effects: [] };
  return { next: { ...state, status: merge.status }, effects: [{ type: 'publish', pod, status: merge.status }] };
}

/**
 * Returns the status reported while containers start or stop, as the kubelet does: only their readiness changes. Their
 * ends are reported once the sync attempt is over. `undefined` when there is nothing to report.
 */
export function progressReport(status: PodStatus, before: PodStatus | undefined): PodStatus | undefined {
  if (before === undefined) return status;
  const isSame = LISTS.every((list) => sameStates(status[list] ?? [], before[list] ?? []));
  return isSame ? withAddressesOf(before, status) : undefined;
}

/** The address appears with the first container that can be reached under it. */
export function withAddressesOf(before: PodStatus | undefined, status: PodStatus): PodStatus {
  if (before === undefined || before.podIP !== undefined) return status;
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  if ([...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.running !== undefined)) return status;
  const { podIP: _podIP, podIPs: _podIPs, ...rest } = status;
  return rest;
}

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

const sameStates = (one: readonly ContainerStatus[], other: readonly ContainerStatus[]): boolean =>
  one.length === other.length &&
  one.every((status, index) => {
    const before = other[index];
    return (
      before !== undefined &&
      status.containerID === before.containerID &&
      status.restartCount === before.restartCount &&
      (status.state?.running === undefined) === (before.state?.running === undefined) &&
      (status.state?.terminated === undefined) === (before.state?.terminated === undefined)
    );
  });

/** A terminal phase means that nothing runs any more; it is withheld until that is so. */
export function withheld(status: PodStatus, before: PodStatus | undefined): PodStatus {
  if (!isTerminalPhase(status.phase) || isTerminalPhase(before?.phase)) return status;
  const { reason: _reason, message: _message, ...rest } = status;
  return { ...rest, phase: before?.phase ?? 'Pending' };
}
