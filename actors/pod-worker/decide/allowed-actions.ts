import { later, type MonotonicMs } from '../../../src/actor/clock.ts';
import type { Container, Pod, PodStatus } from '../../../src/kube/pod.ts';
import { isRestartingAllContainers } from '../../../src/pod/status/conditions.ts';
import { computePodActions } from '../../../src/pod/sync/compute-pod-actions.ts';
import {
  CRASH_LOOP_LIMITS,
  crashLoopDecision,
  crashLoopKey,
  recoveredEntry,
  type CrashLoopDecision,
} from '../../../src/pod/sync/crash-loop-back-off.ts';
import { cappedLimits } from '../../../src/pod/sync/exponential-back-off.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import type { PodObservation } from '../../../src/pod/sync/pod-observation.ts';
import { nextSandboxAt } from '../../../src/pod/sync/sandbox-back-off.ts';
import { mayRestartAllContainers } from '../../../src/pod/sync/should-restart.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type {
  BackOffAdvance,
  KnownFailure,
  Moment,
  NodeSettings,
  PodEvent,
  PodMemory,
  PodWorkerState,
} from '../worker-state.ts';
import { exitOf } from './container-exits.ts';
import { holdsAnything } from './has-containers.ts';
import { verdictsOf } from './probes-of-pod.ts';
import { statusOf } from './reported-status.ts';
import { retryAt } from './retry-time.ts';
import { dueVerdict, isResizing, isWholeDue, resizeDueAt } from './resizing.ts';

type At = Moment & NodeSettings;

const NETWORK_DELAY_MS = 1_000;

export interface AllowedActions {
  readonly actions: PodActions;
  /** Includes the reasons why wanted containers do not start now. */
  readonly memory: PodMemory;
  /** By container name: the back-off step of each container that may start. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** When actions that are held back now may run. */
  readonly until: MonotonicMs;
  readonly events: readonly PodEvent[];
}

export interface Wanted {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly at: At;
}

/** The actions without those that must wait: for a back-off, the network, or the delay after an error. */
export function allowedActions(state: PodWorkerState, wanted: Wanted): AllowedActions {
  const { pod, runtime, at } = wanted;
  const { memory } = state;
  const needed = computePodActions({
    pod,
    status: runtime,
    probes: verdictsOf(state.probes),
    resize: dueVerdict(state, pod, at.monotonic),
    ...reportedExits(state.status ?? pod.status, runtime),
    reportedEphemeral: startedEphemeral(state.status ?? pod.status),
    restartAllContainers: mayRestartAllContainers(pod.spec) && isRestartingAll(state, wanted),
  });
  const computed = state.cgroupGone ? { ...nothingOf(needed), killPod: true } : needed;
  // Nothing is left to stop: repeating the stop would not change that.
  const killPod = computed.killPod && (computed.createSandbox || holdsAnything(runtime));
  const isResizeDue = resizeDueAt(state, pod, at.monotonic) <= at.monotonic;
  const resizesPod = isResizeDue && isWholeDue(state.resizing, pod) && isResizing(state, pod);
  const finishesResize = isResizeDue && state.resizing.isUnfinished;
  const actions = {
    ...computed,
    killPod,
    ...(resizesPod && { resizesPod }),
    ...(finishesResize && { finishesResize }),
  };
  const held = podHoldOff(state, wanted, actions);
  if (held !== undefined) return { actions: nothingOf(actions), memory, advances: new Map(), ...held };
  const sandboxAt = actions.createSandbox ? nextSandboxAt(memory.sandboxes, at.monotonic) : undefined;
  if (sandboxAt !== undefined) {
    // Containers left in a lost sandbox are stopped at once, even if the pod waits.
    const ending = { ...nothingOf(actions), killPod: actions.killPod && holdsAnything(runtime) };
    return { actions: ending, memory, advances: new Map(), until: sandboxAt, events: [] };
  }

  const failures = new Map<string, KnownFailure>();
  const advances = new Map<string, BackOffAdvance>();
  const events: PodEvent[] = [];
  let until: MonotonicMs = Number.POSITIVE_INFINITY;
  const mayStart = (list: readonly Container[]) => (index: number) => {
    const container = list[index];
    if (container === undefined) return false;
    const failure = memory.failures.get(container.name);
    // An error whose delay is over is retried; it stays visible until the retry has a result.
    if (failure !== undefined) failures.set(container.name, failure);
    const heldUntil = failure === undefined || hasExited(runtime, failure) ? undefined : heldBy(failure, runtime);
    if (failure !== undefined && heldUntil !== undefined && heldUntil > at.monotonic) {
      // From the second look on, the status shows what the container waits for.
      if (failure.waitsFor !== undefined) failures.set(container.name, { ...failure, ...failure.waitsFor });
      until = Math.min(until, heldUntil);
      return false;
    }
    const decision = crashLoop(state, container, wanted);
    if (decision.type === 'start') {
      if (decision.entry !== undefined) {
        advances.set(container.name, { key: crashLoopKey(pod, container), entry: decision.entry });
      }
      return true;
    }
    const { reason, message, eventMessage } = decision;
    failures.set(container.name, { reason, message, until: decision.until });
    events.push({ type: 'Warning', reason: 'BackOff', message: eventMessage, container: container.name });
    until = Math.min(until, decision.until);
    return false;
  };
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const allowed: PodActions = {
    ...actions,
    initContainersToStart: actions.initContainersToStart.filter(mayStart(initContainers)),
    containersToStart: actions.containersToStart.filter(mayStart(containers)),
    ephemeralContainersToStart: actions.ephemeralContainersToStart.filter(mayStart(ephemeralContainers)),
  };
  return { actions: allowed, memory: { ...memory, failures }, advances, until, events };
}

/**
 * Containers reported as ended have ended, even if the runtime holds nothing of them: a record may be removed, or go
 * with a lost sandbox. Such a container does not run again for that.
 */
function reportedExits(
  status: PodStatus | undefined,
  { containers }: RuntimePodStatus,
): Pick<PodObservation, 'reportedExits'> {
  let exits: Map<string, number> | undefined;
  for (const { name, state } of status?.containerStatuses ?? []) {
    if (state?.terminated === undefined || containers.some((container) => container.name === name)) continue;
    exits ??= new Map();
    exits.set(name, state.terminated.exitCode);
  }
  return exits === undefined ? {} : { reportedExits: exits };
}

/**
 * Returns the names of ephemeral containers that ran, according to the pod's status. After a restart of the agent the API's
 * status is the only record of those that the runtime has lost.
 */
const startedEphemeral = (status: PodStatus | undefined): ReadonlySet<string> =>
  new Set(
    (status?.ephemeralContainerStatuses ?? [])
      .filter(({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated)
      .map(({ name }) => name),
  );

/** Returns when a container that could not start is tried again; `undefined` when at once. */
const heldBy = ({ until, early }: KnownFailure, runtime: RuntimePodStatus): MonotonicMs | undefined =>
  until === undefined ? undefined : retryAt({ until, ...(early && { early }) }, runtime);

/** The failed try left an ended container: from there on the crash-loop back-off decides about the next try. */
const hasExited = ({ containers }: RuntimePodStatus, { left }: KnownFailure): boolean =>
  left !== undefined && containers.some(({ id, state }) => id === left && state === 'exited');

/** Known from the status that follows from this observation: the restart begins in the step that finds it due. */
const isRestartingAll = (state: PodWorkerState, { pod, at }: Wanted): boolean =>
  isRestartingAllContainers(statusOf(state, pod, { at }).conditions);

function crashLoop({ memory, isNew }: PodWorkerState, container: Container, wanted: Wanted): CrashLoopDecision {
  const { pod, runtime: status, at } = wanted;
  const limits = cappedLimits(CRASH_LOOP_LIMITS, at.crashLoopMaxMs);
  // A restarted worker continues where the last one was.
  const past = { container, status, limits, exitedAt: (exit: RuntimeContainer) => exitOf(memory, exit, at) };
  const entry = memory.crashLoops.get(crashLoopKey(pod, container)) ?? (isNew ? undefined : recoveredEntry(past));
  return crashLoopDecision({ pod, entry, now: at.monotonic, ...past });
}

/** Returns the reason why no action may run now, if there is one. */
function podHoldOff(
  { memory, networkNotReady }: PodWorkerState,
  { pod, runtime, at }: Wanted,
  actions: PodActions,
): Pick<AllowedActions, 'until' | 'events'> | undefined {
  const heldUntil = memory.podFailure === undefined ? undefined : retryAt(memory.podFailure, runtime);
  if (heldUntil !== undefined && heldUntil > at.monotonic) return { until: heldUntil, events: [] };
  if (!actions.createSandbox || networkNotReady === '' || pod.spec.hostNetwork === true) return undefined;
  const message = `network is not ready: ${networkNotReady}`;
  return {
    until: later(at.monotonic, NETWORK_DELAY_MS * (1 + at.chance / 2)),
    events: [{ type: 'Warning', reason: 'NetworkNotReady', message }],
  };
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
