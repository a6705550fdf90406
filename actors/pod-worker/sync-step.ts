import type { ContainerId } from '../../src/kube/ids.ts';
import type { Container, Pod } from '../../src/kube/pod.ts';
import { isTerminalPhase } from '../../src/pod/api-status.ts';
import { computePodActions } from '../../src/pod/compute-pod-actions.ts';
import { CRASH_LOOP_LIMITS, crashLoopDecision, crashLoopKey } from '../../src/pod/crash-loop-back-off.ts';
import { cappedLimits } from '../../src/pod/exponential-back-off.ts';
import { isIdle, type PodActions } from '../../src/pod/pod-actions.ts';
import type { RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { ContainerFailure } from './protocol.ts';
import type { Decision, Moment, NodeSettings, PodMemory, PodWorkerState } from './state.ts';
import { statusOf, told } from './told-status.ts';

type At = Moment & NodeSettings;

/** Compares what is wanted with what there is. `undefined`: the pod has ended by itself. */
export function syncStep(state: PodWorkerState, pod: Pod, at: At): Decision | undefined {
  if (state.work.acting || state.observed === undefined)
    return told(state, pod, { status: statusOf(state, pod, { at }), at });
  const runtime = state.observed.status;
  const { actions, memory, until } = allowedActions(state, { pod, runtime, at });
  const remembered = { ...state, memory };
  const status = statusOf(remembered, pod, { at });
  if (isTerminalPhase(status.phase)) return undefined;
  const { next, effects } = trimmed(told(remembered, pod, { status, at }), runtime);
  if (isIdle(actions)) {
    const due = Math.min(until, at.now + at.syncFrequencyMs * (1 + at.chance / 2));
    return { next, effects: [...effects, { type: 'sync-at', at: due }] };
  }
  return {
    next: { ...next, work: { ...next.work, acting: true } },
    effects: [...effects, { type: 'act', pod, runtime, actions, memory }],
  };
}

interface Allowed {
  readonly actions: PodActions;
  /** With the reasons why containers that are wanted are not started now, and the back-off of those that are. */
  readonly memory: PodMemory;
  /** When something that is held back now may be done. */
  readonly until: number;
}

/** What is to be done, without what has to wait: for a back-off, for the network, for the delay after an error. */
function allowedActions(
  state: PodWorkerState,
  { pod, runtime, at }: { readonly pod: Pod; readonly runtime: RuntimePodStatus; readonly at: At },
): Allowed {
  const { memory, networkNotReady } = state;
  const actions = computePodActions({ pod, status: runtime });
  const failures = new Map<string, ContainerFailure>();
  const crashLoops = new Map(memory.crashLoops);
  let until = Number.POSITIVE_INFINITY;
  const limits = cappedLimits(CRASH_LOOP_LIMITS, at.crashLoopMaxMs);
  const mayStart = (list: readonly Container[]) => (index: number) => {
    const container = list[index];
    if (container === undefined) return false;
    const failure = memory.failures.get(container.name);
    const wait = failure?.until !== undefined && failure.until > at.now ? failure : crashLoopWait(container);
    // An error whose delay is over is tried again; it stays visible until that has come to something.
    if (failure !== undefined) failures.set(container.name, failure);
    if (wait === undefined) return true;
    failures.set(container.name, wait);
    until = Math.min(until, wait.until ?? until);
    return false;
  };
  const crashLoopWait = (container: Container): ContainerFailure | undefined => {
    const key = crashLoopKey(pod, container);
    const decision = crashLoopDecision({
      pod,
      container,
      status: runtime,
      entry: crashLoops.get(key),
      now: at.now,
      limits,
    });
    if (decision.type === 'back-off') return decision;
    if (decision.entry !== undefined) crashLoops.set(key, decision.entry);
    return undefined;
  };
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const allowed: PodActions = {
    ...actions,
    initContainersToStart: actions.initContainersToStart.filter(mayStart(initContainers)),
    containersToStart: actions.containersToStart.filter(mayStart(containers)),
    ephemeralContainersToStart: actions.ephemeralContainersToStart.filter(mayStart(ephemeralContainers)),
  };
  const podUntil = podWait({ memory, networkNotReady, pod, at }, actions);
  if (podUntil === undefined) return { actions: allowed, memory: { ...memory, failures, crashLoops }, until };
  return { actions: nothingOf(actions), memory, until: Math.min(until, podUntil) };
}

function podWait(
  { memory, networkNotReady, pod, at }: Pick<PodWorkerState, 'memory' | 'networkNotReady'> & { pod: Pod; at: At },
  actions: PodActions,
): number | undefined {
  if (memory.podFailure !== undefined && memory.podFailure.until > at.now) return memory.podFailure.until;
  const waitsForNetwork = actions.createSandbox && networkNotReady !== '' && pod.spec.hostNetwork !== true;
  return waitsForNetwork ? at.now + 1_000 * (1 + at.chance / 2) : undefined;
}

const nothingOf = (actions: PodActions): PodActions => ({
  ...actions,
  killPod: false,
  createSandbox: false,
  initContainersToStart: [],
  containersToStart: [],
  ephemeralContainersToStart: [],
  containersToKill: [],
  containersToResize: [],
  containersToReset: [],
});

/** Of each container's dead instances only the newest is kept: its exit and its log can still be asked for. */
function trimmed({ next, effects }: Decision, runtime: RuntimePodStatus): Decision {
  if (next.work.removing) return { next, effects };
  const surplus = surplusContainers(runtime);
  if (surplus.length === 0) return { next, effects };
  return {
    next: { ...next, work: { ...next.work, removing: true } },
    effects: [...effects, { type: 'remove-containers', containers: surplus }],
  };
}

export function surplusContainers({ containers }: RuntimePodStatus): readonly ContainerId[] {
  if (containers.length < 2) return [];
  const kept = new Set<string>();
  const surplus: ContainerId[] = [];
  for (const { id, name, state } of containers) {
    if (state !== 'exited') continue;
    if (kept.has(name)) surplus.push(id);
    else kept.add(name);
  }
  return surplus;
}
