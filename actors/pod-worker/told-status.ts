import { podUid } from '../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import { apiPodStatus, isTerminalPhase } from '../../src/pod/api-status.ts';
import { emptyRuntimePodStatus, type RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import { mergeStatus } from '../../src/pod/status-merge.ts';
import { verdictsOf } from './probes-of-pod.ts';
import type { Decision, Moment, NodeSettings, PodWorkerState } from './state.ts';

export interface HowShown {
  readonly at: Moment & NodeSettings;
  /** Everything of it has been stopped for good. */
  readonly over?: boolean;
  /** What of the runtime is shown; absent: the newest that is known. */
  readonly shown?: RuntimePodStatus | undefined;
}

/** The API status of a pod as this worker sees it now. */
export function statusOf(
  state: PodWorkerState,
  pod: Pod,
  { at, over, shown = state.observed?.status }: HowShown,
): PodStatus {
  const { uid, name, namespace } = pod.metadata;
  return apiPodStatus({
    pod,
    runtime: shown ?? emptyRuntimePodStatus({ uid: podUid(uid), name, namespace }),
    runtimeName: state.runtimeName,
    startFailure: (container) => state.memory.failures.get(container),
    probes: verdictsOf(state.probes),
    hostIps: at.hostIps,
    now: at.now,
    ...(state.status === undefined ? {} : { previous: state.status }),
    ...(over === true ? { podIsTerminal: true } : {}),
  });
}

/** Tells a status, if there is anything new in it. One that would take back a container's end is dropped. */
export function told(
  state: PodWorkerState,
  pod: Pod,
  { status, at }: { readonly status: PodStatus; readonly at: Moment },
): Decision {
  const merge = mergeStatus({ pod, cached: state.status, next: status, now: at.now });
  if (merge.type !== 'changed') return { next: state, effects: [] };
  return { next: { ...state, status: merge.status }, effects: [{ type: 'publish', pod, status: merge.status }] };
}

/** A terminal phase says that nothing runs any more; until that is so, it is not shown. */
export function withheld(status: PodStatus, before: PodStatus | undefined): PodStatus {
  if (!isTerminalPhase(status.phase) || isTerminalPhase(before?.phase)) return status;
  const { reason: _reason, message: _message, ...rest } = status;
  return { ...rest, phase: before?.phase ?? 'Pending' };
}
