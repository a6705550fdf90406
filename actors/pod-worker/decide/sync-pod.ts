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
/** What holds a container back is told that long after what it follows: an exit is seen before its back-off. */
const SHOWN_AFTER_MS = 250;

/** On the whole second: pods of a thread that are looked at together cost half of what each by itself does. */
const RESYNC_STEP_MS = 1_000;

/** Once in `syncFrequency` and up to half of it more, however little happens. Monotonic, in milliseconds. */
const resyncAt = ({ monotonic, syncFrequencyMs, chance }: At): number =>
  Math.ceil((monotonic + syncFrequencyMs * (1 + chance / 2)) / RESYNC_STEP_MS) * RESYNC_STEP_MS;

/** Compares what is wanted with what there is. `undefined`: the pod has ended by itself. */
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
  // One that begins anew with nothing said of it is told with its new sandbox: what is left of the old one is no news.
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

/** Notes of each end when it was, as soon as it is seen. */
function withExits(state: PodWorkerState, at: At): PodWorkerState {
  const { memory, observed } = state;
  const ended = (observed?.status.containers ?? []).filter((container) => container.state === 'exited');
  const isKnown = ended.length === memory.exits.size && ended.every(({ id }) => memory.exits.has(id));
  if (isKnown) return state;
  return { ...state, memory: { ...memory, exits: new Map(ended.map((each) => [each.id, exitOf(memory, each, at)])) } };
}

const exitOf = ({ exits }: PodMemory, { id, finishedAt }: RuntimeContainer, { now, monotonic }: At): number =>
  exits.get(id) ?? monotonic - Math.max(0, now - finishedAt);

/** A reason that is no longer remembered is shown until something has come of the next try. */
const sameReasons = (before: PodMemory, { failures }: PodMemory): boolean =>
  [...failures].every(([name, { reason, message }]) => {
    const known = before.failures.get(name);
    return known?.reason === reason && known.message === message;
  });

/** A container has started and is not called ready yet, although no probe is asked for that. */
const isBeingTold = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus, { spec }: Pod): boolean =>
  [...containerStatuses, ...initContainerStatuses].some(({ name, started, ready, state }) => {
    if (state?.running === undefined || started !== true || ready) return false;
    const container = [...spec.containers, ...(spec.initContainers ?? [])].find((each) => each.name === name);
    return container?.startupProbe !== undefined && container.readinessProbe === undefined;
  });

interface Allowed {
  readonly actions: PodActions;
  /** With the reasons why containers that are wanted are not started now. */
  readonly memory: PodMemory;
  /** By container name: where each that may be started stands in its back-off then. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** When something that is held back now may be done. */
  readonly until: number;
  readonly events: readonly PodEvent[];
}

interface Wanted {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly at: At;
}

/** What is to be done, without what has to wait: for a back-off, for the network, for the delay after an error. */
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
  // Nothing is left to be stopped: doing it again and again would not change that.
  const killPod = computed.killPod && (computed.createSandbox || holdsSomething(runtime));
  const resizesPod =
    isWholeDue(state.resizing, pod) && isResizing(state, pod) && resizeDueAt(state, pod, at.monotonic) <= at.monotonic;
  const actions = { ...computed, killPod, ...(resizesPod && { resizesPod }) };
  const held = podHeld(state, wanted, actions);
  if (held !== undefined) return { actions: nothingOf(actions), memory, advances: new Map(), ...held };
  const sandboxAt = actions.createSandbox ? nextSandboxAt(memory.sandboxes, at.monotonic) : undefined;
  if (sandboxAt !== undefined) {
    // What is left in the one that is lost does not wait with the pod.
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
    // An error whose delay is over is tried again; it stays visible until that has come to something.
    if (failure !== undefined) failures.set(container.name, failure);
    if (failure?.until !== undefined && failure.until > at.monotonic && !hasExited(runtime, failure)) {
      // From the second look on what is shown is what it waits for.
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
 * What was told to have ended has, though the runtime holds nothing of it any more: its record was removed, or went with a
 * sandbox that is lost. It is not run once more for that.
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

/** What failed has left a container that has ended: from there on the crash-loop back-off says when to try again. */
const hasExited = ({ containers }: RuntimePodStatus, { left }: ContainerFailure): boolean =>
  left !== undefined && containers.some(({ id, state }) => id === left && state === 'exited');

/** Known from the status that follows from what is seen now: the restart is begun in the step that finds it due. */
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
  // One that takes over goes on where the last one was.
  const past = { container, status, limits, exitedAt: (exit: RuntimeContainer) => exitOf(memory, exit, at) };
  const entry = memory.crashLoops.get(crashLoopKey(pod, container)) ?? (isNew ? undefined : recoveredEntry(past));
  return crashLoopDecision({ pod, entry, now: at.monotonic, ...past });
}

/** Why nothing at all may be done now, if so. */
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

/** Of each container's dead instances only the newest is kept, or as many as this node keeps: its exit and its log can still be asked for. */
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
