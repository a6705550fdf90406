import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import type { BackOffEntry } from '../../src/pod/sync/exponential-back-off.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { FailedPull } from '../../src/pod/image/image-pull-decision.ts';
import type { PodActions } from '../../src/pod/sync/pod-actions.ts';
import type { RuntimePodStatus } from '../../src/pod/values/runtime-pod-status.ts';
import type { ContainerId } from '../../src/kube/ids.ts';
import type { ObservedPod } from '../pleg/protocol.ts';
import type { ProbedPod } from '../probe-manager/protocol.ts';
import type { ContainerFailure, PodWorkerInit, PodWorkerProtocol, Touched } from './protocol.ts';
import type { Surplus } from '../../src/pod/sync/replaced-containers.ts';
import { NO_PROBES, withProbes, withVerdict, type PodProbes } from './decide/probes-of-pod.ts';
import { NO_RESIZING, withNews, type Resizing } from './decide/resizing.ts';
import { acted, observed, removed, runtimeChanged, SETTLE_MS, stopped } from './decide/on-report.ts';
import { andThen, goOn, lookAfterLongTime } from './decide/observe-first.ts';
import { publishProgress } from './decide/decide-step.ts';
import { evict, reconcile, terminate, terminateRuntimePod, wantPod, wantVolumes } from './decide/on-command.ts';

/** What is wanted of the pod, and the progress of its end. Phases only move from top to bottom. */
export type PodPhase =
  /** No instruction has arrived yet. */
  | { readonly type: 'waiting-for-pod'; readonly going?: Going }
  | { readonly type: 'syncing'; readonly pod: Pod }
  /** `stopTold`: every sandbox was sent a stop, including one that died by itself and may still hold an address. */
  | {
      readonly type: 'terminating';
      readonly target: Terminating;
      readonly stopTold: boolean;
    }
  /** Nothing runs any more. A pod that ended by itself stays in this phase, so it never starts again. */
  | { readonly type: 'terminated'; readonly target: Terminating };

/** The pod is to be removed: this instruction overtook the pod itself. */
export interface Going {
  readonly asked: number | undefined;
}

/**
 * A pod that is ending. `wanted: 'gone'`: nothing of it is to be left. `'ended'`: it ended by itself and stays visible.
 */
export interface Terminating {
  /** `undefined` for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly graceSeconds: number;
  readonly wanted: 'gone' | 'ended';
  /** The pod is wanted again under the same UID: its dead containers and sandboxes are left for its next life. */
  readonly wantedAgain?: true;
  /** Why the node has ended the pod; absent when it did not. */
  readonly ending?: PodEnding;
}

export interface PodWorkerState {
  /** The running containers are outside the pod's cgroup. They are stopped and start again in the pod's own cgroup. */
  readonly cgroupGone: boolean;
  readonly phase: PodPhase;
  /** The runtime cannot hold anything of the pod yet: it is pending, even before the first look. */
  readonly isNew: boolean;
  /** The number of the latest instruction. */
  readonly heard: number;
  readonly runtimeName: string;
  readonly networkNotReady: string;
  /** PLEG's newest status. Used only when it is newer than `needsNewerThan`. */
  readonly observed: ObservedPod | undefined;
  /** Monotonic instant. An older status may lack the effects of this worker or an earlier one. */
  readonly needsNewerThan: number;
  /**
   * Effects under way. At most one of a kind, except stops and the looks after them: a shorter grace period does not
   * wait.
   */
  readonly work: {
    readonly observing: number;
    readonly acting: boolean;
    readonly stopping: number;
    readonly removing: boolean;
  };
  /** By container name, while acting: the new back-off of each container, in case the round reaches it. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** The last reported status; a restarted worker reads it back first. */
  readonly status: PodStatus | undefined;
  readonly statusKnown: boolean;
  /** The status manager has lost its state. */
  readonly reportDue: boolean;
  readonly memory: PodMemory;
  readonly probes: PodProbes;
  /**
   * A running container whose postStart hook began in an earlier incarnation and was not observed to end: the hook runs
   * again.
   */
  readonly unfinishedHook: ContainerId | undefined;
  readonly resizing: Resizing;
  /** Containers of an earlier life under the same UID. Their logs are not needed once newer containers exist. */
  readonly formerLife: ReadonlySet<ContainerId>;
}

export interface BackOffAdvance {
  readonly key: string;
  readonly entry: BackOffEntry;
}

/** State kept between rounds. */
export interface PodMemory {
  /** By container name: why it could not start. */
  readonly failures: ReadonlyMap<string, ContainerFailure>;
  /**
   * By ended container, when its end was first observed (monotonic). The runtime's time is wall-clock time, which may
   * be set before the back-off is over.
   */
  readonly exits: ReadonlyMap<ContainerId, number>;
  /** By `crashLoopKey`. */
  readonly crashLoops: ReadonlyMap<string, BackOffEntry>;
  /** By `pullBackOffKey`. */
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** How soon sandboxes have followed one another. */
  readonly sandboxes: BackOffEntry | undefined;
  /** Why the pod as a whole could not progress, and the next try (monotonic). */
  readonly podFailure: { readonly message: string; readonly until: number } | undefined;
}

export type Effect =
  | { readonly type: 'read-previous-status' }
  | { readonly type: 'observe'; readonly newerThan: number; readonly touched?: Touched; readonly afterMs?: number }
  | {
      readonly type: 'act';
      readonly pod: Pod;
      readonly runtime: RuntimePodStatus;
      readonly actions: PodActions;
      readonly memory: PodMemory;
      /** Hooks to run again before anything else starts. */
      readonly unfinishedHook: ContainerId | undefined;
      /** By container name: the least restart count of its next instance. */
      readonly restarts: ReadonlyMap<string, number>;
      /** Monotonic instant of the state in `runtime`. */
      readonly lookedAt: number;
      readonly resizing: Resizing;
    }
  /** Starts nothing more: effects that can be abandoned are abandoned, the rest end by themselves. */
  | { readonly type: 'cancel-acting' }
  | { readonly type: 'stop-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  | { readonly type: 'remove-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  /** Sends the pod's volume needs to the volume manager, for volumes already present. */
  | { readonly type: 'want-volumes'; readonly pod: Pod }
  /** Nothing of the pod runs any more: its volumes are not needed. */
  | { readonly type: 'unmount-volumes'; readonly pod: Pod }
  /** Removes dead containers that newer ones have replaced. */
  | ({ readonly type: 'remove-dead' } & Surplus)
  | { readonly type: 'publish'; readonly pod: Pod; readonly status: PodStatus }
  /** The containers to probe from now on. */
  | { readonly type: 'probe'; readonly pod: ProbedPod }
  | { readonly type: 'forget-probes' }
  | { readonly type: 'tell-event'; readonly event: PodEvent }
  | { readonly type: 'report-terminated'; readonly removed: boolean; readonly left?: 'dead' }
  /** At a monotonic instant. */
  | { readonly type: 'sync-at'; readonly at: number };

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Name of the event's container; absent for the pod as a whole. */
  readonly container?: string;
}

export interface Moment {
  /** Wall clock, for comparisons with times of the runtime or the API. It may be set. */
  readonly now: number;
  /** For all waits. */
  readonly monotonic: number;
  /** In [0, 1). */
  readonly chance: number;
}

export interface NodeSettings {
  readonly hostIps: readonly string[];
  readonly syncFrequencyMs: number;
  readonly crashLoopMaxMs: number;
  /** How many dead instances of each container are kept; absent: one. */
  readonly deadContainersKept?: number;
}

export interface Decision {
  readonly next: PodWorkerState;
  readonly effects: readonly Effect[];
}

export function initialState(
  init: PodWorkerInit,
  moment: Pick<Moment, 'monotonic'>,
  restarted: boolean,
): PodWorkerState {
  const fresh = init.history === 'fresh' && !restarted;
  return {
    phase: { type: 'waiting-for-pod' },
    isNew: fresh,
    heard: Number.NEGATIVE_INFINITY,
    runtimeName: init.runtimeName,
    networkNotReady: init.networkNotReady,
    observed: undefined,
    needsNewerThan: fresh ? Number.NEGATIVE_INFINITY : moment.monotonic,
    work: { observing: 0, acting: false, stopping: 0, removing: false },
    advances: new Map(),
    status: undefined,
    statusKnown: fresh || (init.history === 'anew' && !restarted),
    reportDue: false,
    memory: {
      failures: new Map(),
      exits: new Map(),
      crashLoops: new Map(),
      failedPulls: new Map(),
      sandboxes: undefined,
      podFailure: undefined,
    },
    probes: NO_PROBES,
    unfinishedHook: undefined,
    resizing: NO_RESIZING,
    formerLife: new Set(),
    cgroupGone: false,
  };
}

export function decide(
  state: PodWorkerState,
  command: PodWorkerProtocol['command'],
  at: Moment & NodeSettings,
): Decision {
  if (!('told' in command) || command.told === undefined) return reported(withProbes(decided(state, command, at), at));
  // Late or duplicate.
  if (command.told <= state.heard) return { next: state, effects: [] };
  return reported(withProbes(decided({ ...state, heard: command.told }, command, at), at));
}

function decided(state: PodWorkerState, command: PodWorkerProtocol['command'], at: Moment & NodeSettings): Decision {
  switch (command.type) {
    case 'sync-pod':
      return andThen(wantPod({ ...state, resizing: withNews(state, command) }, command.pod, at.now), at);
    case 'reconcile-pod':
      return andThen(reconcile(state, command.pod), at);
    case 'terminate-pod':
      return andThen(terminate(state, command.gracePeriodSeconds), at);
    case 'evict-pod':
      return andThen(evict(state, command), at);
    case 'terminate-runtime-pod':
      return andThen(terminateRuntimePod(state, command), at);
    case 'previous-status-read':
      return goOn(readBack(state, command), at);
    case 'pod-status-observed':
      return goOn(observed(state, command), at);
    case 'observed': {
      const seen = { ...state, work: { ...state.work, observing: Math.max(0, state.work.observing - 1) } };
      if (command.outcome.ok) return goOn(observed(seen, command.outcome.value), at);
      return { next: seen, effects: [{ type: 'sync-at', at: at.monotonic + SETTLE_MS }] };
    }
    case 'cgroup-gone':
      return { next: { ...state, cgroupGone: true }, effects: [] };
    case 'sandbox-ready':
      return publishProgress(observed(state, command.observed), at);
    case 'acted':
      return acted(state, command.result, at);
    case 'stopped':
      return stopped(state, command, at);
    case 'removed':
      return removed(state, command, at);
    case 'runtime-health-changed':
      return runtimeChanged(state, command, at);
    case 'probe-result':
      return goOn(withVerdict(state, command), at);
    case 'report-probes':
      return { next: { ...state, probes: { ...state.probes, told: undefined } }, effects: [] };
    case 'report-status':
      return { next: { ...state, reportDue: true }, effects: [] };
    case 'report-volumes': {
      const { phase } = state;
      return { next: state, effects: phase.type === 'syncing' ? wantVolumes(phase.pod) : [] };
    }
    case 'volume-noted':
    case 'volume-failed': {
      const { reason, message } = command;
      const type = command.type === 'volume-failed' ? 'Warning' : 'Normal';
      const event = { type, reason, message } as const;
      return { next: state, effects: state.phase.type === 'syncing' ? [{ type: 'tell-event', event }] : [] };
    }
    case 'sync-due':
      return andThen(lookAfterLongTime(state, at), at);
    default:
      return assertNever(command, 'pod worker command');
  }
}

function readBack(
  state: PodWorkerState,
  {
    status,
    verdicts,
    unfinishedHook,
    actuated = new Map(),
  }: Extract<PodWorkerProtocol['command'], { type: 'previous-status-read' }>,
): PodWorkerState {
  // Verdicts received meanwhile are newer.
  const known = new Map([...(verdicts ?? []), ...state.probes.verdicts]);
  return {
    ...state,
    status: status ?? state.status,
    statusKnown: true,
    probes: { ...state.probes, verdicts: known },
    unfinishedHook,
    resizing: { ...state.resizing, actuated: new Map([...actuated, ...state.resizing.actuated]) },
  };
}

/** Reports the status again as soon as there is one: the past may still have to be read. */
function reported({ next, effects }: Decision): Decision {
  const { phase, status } = next;
  const pod = phase.type === 'syncing' ? phase.pod : phase.type === 'waiting-for-pod' ? undefined : phase.target.pod;
  if (!next.reportDue || pod === undefined || status === undefined) return { next, effects };
  const isSaid = effects.some(({ type }) => type === 'publish');
  return {
    next: { ...next, reportDue: false },
    effects: isSaid ? effects : [...effects, { type: 'publish', pod, status }],
  };
}
