import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, Pod, PodStatus } from '../../../src/kube/pod.ts';
import { activeDeadline, isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { computePodActions } from '../../../src/pod/sync/compute-pod-actions.ts';
import {
  CRASH_LOOP_LIMITS,
  crashLoopDecision,
  crashLoopKey,
  recoveredEntry,
  type CrashLoopDecision,
} from '../../../src/pod/sync/crash-loop-back-off.ts';
import { isRestartingAllContainers } from '../../../src/pod/status/conditions.ts';
import { cappedLimits } from '../../../src/pod/sync/exponential-back-off.ts';
import type { PodObservation } from '../../../src/pod/sync/pod-observation.ts';
import { isIdle, type PodActions } from '../../../src/pod/sync/pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { nextSandboxAt } from '../../../src/pod/sync/sandbox-back-off.ts';
import { mayRestartAllContainers } from '../../../src/pod/sync/should-restart.ts';
import { holdsSomething } from './has-containers.ts';
import type { ContainerFailure } from '../protocol.ts';
import type {
  BackOffAdvance,
  Decision,
  Effect,
  Moment,
  NodeSettings,
  PodEvent,
  PodMemory,
  PodWorkerState,
} from '../worker-state.ts';
import { completed, dueVerdict, isResizing, isWholeDue, resizeDueAt, shownSince } from './resizing.ts';
import { nextRestarts } from '../../../src/pod/sync/restart-count-floor.ts';
import { notForEver } from './overdue-deadline.ts';
import { verdictsOf } from './probes-of-pod.ts';
import { surplusOf } from '../../../src/pod/sync/replaced-containers.ts';
import { statusOf, told, toldMeanwhile, withheld } from './reported-status.ts';

type At = Moment & NodeSettings;

const NETWORK_DELAY_MS = 1_000;
/** A container's waiting reason is shown this long after its cause: an exit is visible before its back-off. */
const SHOWN_AFTER_MS = 250;

/** On the whole second: syncing pods of a thread together costs half of syncing each alone. */
const RESYNC_STEP_MS = 1_000;

/** Once in 1 to 1.5 times `syncFrequency`, however little happens. Monotonic, in milliseconds. */
const resyncAt = ({ monotonic, syncFrequencyMs, chance }: At): number =>
  Math.ceil((monotonic + syncFrequencyMs * (1 + chance / 2)) / RESYNC_STEP_MS) * RESYNC_STEP_MS;

/** Compares the wanted state with the observed one. `undefined` when the pod has ended by itself. */
export function syncStep(before: PodWorkerState, pod: Pod, at: At): Decision | undefined {
  const state = withExits(before, at);
  if (state.work.acting || state.observed === undefined) {
    const meanwhile = toldMeanwhile(withheld(statusOf(state, pod, { at }), state.status), state.status);
    const step = meanwhile === undefined ? { next: state, effects: [] } : told(state, pod, { status: meanwhile, at });
    return state.work.acting ? { ...step, effects: [...step.effects, ...notForEver(pod, state.status, at)] } : step;
  }
  const runtime = state.observed.status;
  const { actions, memory, advances, until, events } = allowedActions(state, { pod, runtime, at });
  const status = statusOf(state, pod, { at });
  if (isTerminalPhase(status.phase)) return undefined;
  // A pod that starts again without any status is reported with its new sandbox: remains of the old sandbox are no
  // news.
  const isUntold = state.status === undefined && pod.status?.containerStatuses === undefined;
  const beginsAnew = isUntold && actions.createSandbox && actions.sandboxId !== undefined;
  const formerLife = beginsAnew ? new Set(runtime.containers.map(({ id }) => id)) : state.formerLife;
  const known: PodWorkerState = { ...state, memory, formerLife };
  const step = trimmed(beginsAnew ? { next: known, effects: [] } : told(known, pod, { status, at }), runtime, at);
  const next = shownSince(state, step.next, at.monotonic);
  const effects: readonly Effect[] = [
    ...step.effects,
    ...completed(state.status, next.status ?? status, pod),
    ...events.map((event) => ({ type: 'tell-event', event }) as const),
  ];
  const unfinishedHook = hookToResume(next, pod);
  if (isIdle(actions) && unfinishedHook === undefined) {
    const resync = resyncAt(at);
    const deadline = at.monotonic + (activeDeadline(pod, next.status ?? status) ?? Number.POSITIVE_INFINITY) - at.now;
    const hasMore = !sameReasons(state.memory, memory) || isBeingTold(next.status ?? status, pod);
    const shownAt = hasMore ? at.monotonic + SHOWN_AFTER_MS : resync;
    const dueAt = resizeDueAt(state, pod, at.monotonic);
    const resizeAt = dueAt > at.monotonic ? dueAt : resync;
    return {
      next,
      effects: [...effects, { type: 'sync-at', at: Math.min(until, resync, deadline, shownAt, resizeAt) }],
    };
  }
  return {
    next: { ...next, advances, work: { ...next.work, acting: true } },
    effects: [
      ...effects,
      ...notForEver(pod, next.status ?? status, at),
      {
        type: 'act',
        pod,
        runtime,
        actions,
        memory,
        unfinishedHook,
        restarts: nextRestarts(next.status),
        lookedAt: state.observed.observedAt,
        resizing: next.resizing,
      },
    ],
  };
}

/** Records the time of each exit when it is first observed. */
function withExits(state: PodWorkerState, at: At): PodWorkerState {
  const { memory, observed } = state;
  const ended = (observed?.status.containers ?? []).filter((container) => container.state === 'exited');
  const isKnown = ended.length === memory.exits.size && ended.every(({ id }) => memory.exits.has(id));
  if (isKnown) return state;
  return { ...state, memory: { ...memory, exits: new Map(ended.map((each) => [each.id, exitOf(memory, each, at)])) } };
}

const exitOf = ({ exits }: PodMemory, { id, finishedAt }: RuntimeContainer, { now, monotonic }: At): number =>
  exits.get(id) ?? monotonic - Math.max(0, now - finishedAt);

/** A dropped reason stays visible until the next try has a result. */
const sameReasons = (before: PodMemory, { failures }: PodMemory): boolean =>
  [...failures].every(([name, { reason, message }]) => {
    const known = before.failures.get(name);
    return known?.reason === reason && known.message === message;
  });

/** A container has started and is not reported as ready yet, although it has no readiness probe. */
const isBeingTold = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus, { spec }: Pod): boolean =>
  [...containerStatuses, ...initContainerStatuses].some(({ name, started, ready, state }) => {
    if (state?.running === undefined || started !== true || ready) return false;
    const container = [...spec.containers, ...(spec.initContainers ?? [])].find((each) => each.name === name);
    return container?.startupProbe !== undefined && container.readinessProbe === undefined;
  });

interface Allowed {
  readonly actions: PodActions;
  /** Includes the reasons why wanted containers do not start now. */
  readonly memory: PodMemory;
  /** By container name: the back-off step of each container that may start. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** When actions that are held back now may run. */
  readonly until: number;
  readonly events: readonly PodEvent[];
}

interface Wanted {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly at: At;
}

/** The actions without those that must wait: for a back-off, the network, or the delay after an error. */
function allowedActions(state: PodWorkerState, wanted: Wanted): Allowed {
  const { pod, runtime, at } = wanted;
  const { memory } = state;
  const needed = computePodActions({
    pod,
    status: runtime,
    probes: verdictsOf(state.probes),
    resize: dueVerdict(state, pod, at.monotonic),
    ...toldExits(state.status ?? pod.status, runtime),
    restartAllContainers: mayRestartAllContainers(pod.spec) && isRestartingAll(state, wanted),
  });
  const computed = state.cgroupGone ? { ...nothingOf(needed), killPod: true } : needed;
  // Nothing is left to stop: repeating the stop would not change that.
  const killPod = computed.killPod && (computed.createSandbox || holdsSomething(runtime));
  const resizesPod =
    isWholeDue(state.resizing, pod) && isResizing(state, pod) && resizeDueAt(state, pod, at.monotonic) <= at.monotonic;
  const actions = { ...computed, killPod, ...(resizesPod && { resizesPod }) };
  const held = podHeld(state, wanted, actions);
  if (held !== undefined) return { actions: nothingOf(actions), memory, advances: new Map(), ...held };
  const sandboxAt = actions.createSandbox ? nextSandboxAt(memory.sandboxes, at.monotonic) : undefined;
  if (sandboxAt !== undefined) {
    // What is left in the lost sandbox is stopped at once, even if the pod waits.
    const ending = { ...nothingOf(actions), killPod: actions.killPod && holdsSomething(runtime) };
    return { actions: ending, memory, advances: new Map(), until: sandboxAt, events: [] };
  }

  const failures = new Map<string, ContainerFailure>();
  const advances = new Map<string, BackOffAdvance>();
  const events: PodEvent[] = [];
  let until = Number.POSITIVE_INFINITY;
  const mayStart = (list: readonly Container[]) => (index: number) => {
    const container = list[index];
    if (container === undefined) return false;
    const failure = memory.failures.get(container.name);
    // An error whose delay is over is retried; it stays visible until the retry has a result.
    if (failure !== undefined) failures.set(container.name, failure);
    if (failure?.until !== undefined && failure.until > at.monotonic && !hasExited(runtime, failure)) {
      // From the second look on, the status shows what the container waits for.
      if (failure.waitsFor !== undefined) failures.set(container.name, { ...failure.waitsFor, until: failure.until });
      until = Math.min(until, failure.until);
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
function toldExits(status: PodStatus | undefined, { containers }: RuntimePodStatus): Pick<PodObservation, 'toldExits'> {
  let exits: Map<string, number> | undefined;
  for (const { name, state } of status?.containerStatuses ?? []) {
    if (state?.terminated === undefined || containers.some((container) => container.name === name)) continue;
    exits ??= new Map();
    exits.set(name, state.terminated.exitCode);
  }
  return exits === undefined ? {} : { toldExits: exits };
}

/** The failed try left an ended container: from there on the crash-loop back-off decides about the next try. */
const hasExited = ({ containers }: RuntimePodStatus, { left }: ContainerFailure): boolean =>
  left !== undefined && containers.some(({ id, state }) => id === left && state === 'exited');

/** Known from the status that follows from this observation: the restart begins in the step that finds it due. */
const isRestartingAll = (state: PodWorkerState, { pod, at }: Wanted): boolean =>
  isRestartingAllContainers(statusOf(state, pod, { at }).conditions);

function hookToResume({ unfinishedHook, observed }: PodWorkerState, { spec }: Pod): ContainerId | undefined {
  const running = observed?.status.containers.find(({ id, state }) => id === unfinishedHook && state === 'running');
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find(({ name }) => name === running?.name);
  return container?.lifecycle?.postStart === undefined ? undefined : running?.id;
}

function crashLoop({ memory, isNew }: PodWorkerState, container: Container, wanted: Wanted): CrashLoopDecision {
  const { pod, runtime: status, at } = wanted;
  const limits = cappedLimits(CRASH_LOOP_LIMITS, at.crashLoopMaxMs);
  // A restarted worker continues where the last one was.
  const past = { container, status, limits, exitedAt: (exit: RuntimeContainer) => exitOf(memory, exit, at) };
  const entry = memory.crashLoops.get(crashLoopKey(pod, container)) ?? (isNew ? undefined : recoveredEntry(past));
  return crashLoopDecision({ pod, entry, now: at.monotonic, ...past });
}

/** Returns the reason why no action may run now, if there is one. */
function podHeld(
  { memory, networkNotReady }: PodWorkerState,
  { pod, at }: Wanted,
  actions: PodActions,
): Pick<Allowed, 'until' | 'events'> | undefined {
  if (memory.podFailure !== undefined && memory.podFailure.until > at.monotonic) {
    return { until: memory.podFailure.until, events: [] };
  }
  if (!actions.createSandbox || networkNotReady === '' || pod.spec.hostNetwork === true) return undefined;
  const message = `network is not ready: ${networkNotReady}`;
  return {
    until: at.monotonic + NETWORK_DELAY_MS * (1 + at.chance / 2),
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

/**
 * Keeps the newest dead instance of each container, or as many as this node keeps: its exit and its log remain
 * readable.
 */
export function trimmed(
  { next, effects }: Decision,
  runtime: RuntimePodStatus,
  { deadContainersKept }: Pick<NodeSettings, 'deadContainersKept'>,
): Decision {
  if (next.work.removing) return { next, effects };
  const surplus = surplusOf(runtime, {
    formerLife: next.formerLife,
    ...(deadContainersKept !== undefined && { keep: deadContainersKept }),
  });
  if (surplus.containers.length + surplus.sandboxes.length === 0) return { next, effects };
  return {
    next: { ...next, work: { ...next.work, removing: true } },
    effects: [...effects, { type: 'remove-dead', ...surplus }],
  };
}
