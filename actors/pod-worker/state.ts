import { assertNever } from '../../src/kube/assert-never.ts';
import type { ContainerId } from '../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import type { BackOffEntry } from '../../src/pod/exponential-back-off.ts';
import type { FailedPull } from '../../src/pod/image-pull-decision.ts';
import type { PodActions } from '../../src/pod/pod-actions.ts';
import type { RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { ObservedPod } from '../pleg/protocol.ts';
import type { ActResult, ContainerFailure, PodWorkerCommand, PodWorkerInit, Touched } from './protocol.ts';
import { nextStep, publishProgress, publishUnseen } from './next-step.ts';
import { runtimeOnly, terminate, wantPod } from './wanted.ts';

/** What is wanted of the pod, and how far its end has come. One-way, from top to bottom. */
export type PodPhase =
  /** Nobody has said yet what is wanted. */
  | { readonly type: 'waiting-for-pod' }
  | { readonly type: 'syncing'; readonly pod: Pod }
  | { readonly type: 'terminating'; readonly target: Terminating }
  /** Nothing runs any more. A pod that ended by itself stays here, so that it is never started again. */
  | { readonly type: 'terminated'; readonly target: Terminating };

/** A pod that is going away. `wanted: 'gone'`: nothing of it is to be left; `'ended'`: it ended by itself and stays visible. */
export interface Terminating {
  /** Undefined for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly graceSeconds: number;
  readonly wanted: 'gone' | 'ended';
}

export interface PodWorkerState {
  readonly phase: PodPhase;
  readonly runtimeName: string;
  readonly networkNotReady: string;
  /** The newest that PLEG has said. Only acted upon when it is newer than `needsNewerThan`. */
  readonly observed: ObservedPod | undefined;
  /** Monotonic instant. What was observed before it may lack what this worker, or one before it, has done since. */
  readonly needsNewerThan: number;
  /** Effects under way. No two of a kind, except stops: a shorter grace period does not wait for a longer one. */
  readonly work: {
    readonly observing: boolean;
    readonly acting: boolean;
    readonly stopping: number;
    readonly removing: boolean;
  };
  /** The last status told; a worker that was restarted reads it back first. */
  readonly status: PodStatus | undefined;
  readonly statusKnown: boolean;
  readonly memory: PodMemory;
}

/** What is remembered between rounds. */
export interface PodMemory {
  /** By container name: why it could not be started. */
  readonly failures: ReadonlyMap<string, ContainerFailure>;
  /** By `crashLoopKey`. */
  readonly crashLoops: ReadonlyMap<string, BackOffEntry>;
  /** By `pullBackOffKey`. */
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** Why the pod as a whole could not be brought further, and when to try again (wall clock). */
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
    }
  /** Stop starting things: what can be given up is given up, the rest ends on its own. */
  | { readonly type: 'cancel-acting' }
  | { readonly type: 'stop-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  | { readonly type: 'remove-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  /** Removes dead containers that newer ones have replaced. */
  | { readonly type: 'remove-containers'; readonly containers: readonly ContainerId[] }
  | { readonly type: 'publish'; readonly pod: Pod; readonly status: PodStatus }
  | { readonly type: 'report-terminated'; readonly removed: boolean }
  | { readonly type: 'sync-at'; readonly at: number };

export interface Moment {
  /** Wall clock, for everything that is compared with what the runtime says. */
  readonly now: number;
  readonly monotonic: number;
  /** In [0, 1). */
  readonly chance: number;
}

export interface NodeSettings {
  readonly hostIps: readonly string[];
  readonly syncFrequencyMs: number;
  readonly crashLoopMaxMs: number;
}

export interface Decision {
  readonly next: PodWorkerState;
  readonly effects: readonly Effect[];
}

/** After a call that was lost, the runtime is given this long to come to rest before it is looked at again. */
const SETTLE_MS = 1_000;
/** A pod whose stop failed is tried again after this. */
const STOP_AGAIN_MS = 1_000;

export function initialState(
  init: PodWorkerInit,
  moment: Pick<Moment, 'monotonic'>,
  restarted: boolean,
): PodWorkerState {
  const fresh = init.history === 'fresh' && !restarted;
  return {
    phase: { type: 'waiting-for-pod' },
    runtimeName: init.runtimeName,
    networkNotReady: init.networkNotReady,
    observed: undefined,
    needsNewerThan: fresh ? Number.NEGATIVE_INFINITY : moment.monotonic,
    work: { observing: false, acting: false, stopping: 0, removing: false },
    status: undefined,
    statusKnown: fresh,
    memory: { failures: new Map(), crashLoops: new Map(), failedPulls: new Map(), podFailure: undefined },
  };
}

export function decide(state: PodWorkerState, command: PodWorkerCommand, at: Moment & NodeSettings): Decision {
  switch (command.type) {
    case 'sync-pod':
      return goOn(wantPod(state, command.pod), at);
    case 'terminate-pod':
      return andThen(terminate(state, command.gracePeriodSeconds), at);
    case 'terminate-runtime-pod':
      return goOn({ ...state, phase: { type: 'terminating', target: runtimeOnly(command) }, statusKnown: true }, at);
    case 'previous-status-read':
      return goOn({ ...state, status: command.status ?? state.status, statusKnown: true }, at);
    case 'pod-status-observed':
      return goOn(observed(state, command), at);
    case 'observed': {
      const idle = { ...state, work: { ...state.work, observing: false } };
      if (command.outcome.ok) return goOn(observed(idle, command.outcome.value), at);
      return { next: idle, effects: [{ type: 'sync-at', at: at.now + SETTLE_MS }] };
    }
    case 'sandbox-ready':
      return publishProgress(observed(state, command.observed), at);
    case 'acted':
      return acted(state, command.result, at);
    case 'stopped':
      return stopped(state, command, at);
    case 'removed':
      return removed(state, command.failed, at);
    case 'runtime-health-changed':
      return runtimeChanged(state, command, at);
    case 'report-status':
      return reportAgain(state);
    case 'sync-due':
      return goOn(state, at);
    default:
      return assertNever(command, 'pod worker command');
  }
}

// ---- what was seen and done --------------------------------------------------------------------------------------------

function observed(state: PodWorkerState, seen: ObservedPod): PodWorkerState {
  // Answers and notices travel on different paths within this thread: the record that was changed last is the truth.
  const known = state.observed;
  const [earlier, later] = known === undefined || known.revision < seen.revision ? [known, seen] : [seen, known];
  const observedAt = Math.max(earlier?.observedAt ?? later.observedAt, later.observedAt);
  return { ...state, observed: { ...later, observedAt } };
}

function acted(state: PodWorkerState, result: ActResult, at: Moment & NodeSettings): Decision {
  const retryAt = at.now + 10_000 * (1 + at.chance / 2);
  const failures = new Map(
    [...result.failures].map(([name, failure]) => [name, { ...failure, until: failure.until ?? retryAt }]),
  );
  const podFailure =
    result.podFailure === undefined || result.inDoubt ? undefined : { message: result.podFailure, until: retryAt };
  const next: PodWorkerState = {
    ...state,
    work: { ...state.work, acting: false },
    memory: { ...state.memory, failures, failedPulls: result.failedPulls, podFailure },
  };
  if (result.inDoubt) return look(next, { newerThan: at.monotonic + SETTLE_MS, afterMs: SETTLE_MS });
  const { touched } = result;
  if (touched.sandboxes.length + touched.containers.length === 0) return goOn(next, at);
  return look(next, { newerThan: at.monotonic, touched });
}

function stopped(
  state: PodWorkerState,
  { touched, failed }: { readonly touched: Touched; readonly failed: string | undefined },
  at: Moment & NodeSettings,
): Decision {
  const next = { ...state, work: { ...state.work, stopping: state.work.stopping - 1 } };
  if (failed === undefined) return look(next, { newerThan: at.monotonic, touched });
  // The next look decides whether it was stopped all the same.
  return look(next, { newerThan: at.monotonic + STOP_AGAIN_MS, afterMs: STOP_AGAIN_MS, touched });
}

function removed(state: PodWorkerState, failed: string | undefined, at: Moment): Decision {
  const next = { ...state, work: { ...state.work, removing: false } };
  // Dead containers of a living pod: whatever was not removed is found again at the next occasion.
  if (state.phase.type !== 'terminated') return { next, effects: [] };
  if (failed !== undefined) return look(next, { newerThan: at.monotonic + STOP_AGAIN_MS, afterMs: STOP_AGAIN_MS });
  return { next, effects: [{ type: 'report-terminated', removed: true }] };
}

function look(
  state: PodWorkerState,
  { newerThan, touched, afterMs }: { newerThan: number; touched?: Touched; afterMs?: number },
): Decision {
  return {
    next: { ...state, needsNewerThan: newerThan, work: { ...state.work, observing: true } },
    effects: [
      {
        type: 'observe',
        newerThan,
        ...(touched === undefined ? {} : { touched }),
        ...(afterMs === undefined ? {} : { afterMs }),
      },
    ],
  };
}

function runtimeChanged(
  state: PodWorkerState,
  { health }: Extract<PodWorkerCommand, { type: 'runtime-health-changed' }>,
  at: Moment & NodeSettings,
): Decision {
  if (health.state !== 'up') return { next: state, effects: [] };
  const { name, networkNotReady } = health.runtime;
  // What failed while the runtime was away is worth another try now.
  const memory = { ...state.memory, podFailure: undefined };
  return goOn({ ...state, runtimeName: name, networkNotReady, memory }, at);
}

function reportAgain(state: PodWorkerState): Decision {
  const { phase, status } = state;
  const pod = phase.type === 'syncing' ? phase.pod : phase.type === 'waiting-for-pod' ? undefined : phase.target.pod;
  if (pod === undefined || status === undefined) return { next: state, effects: [] };
  return { next: state, effects: [{ type: 'publish', pod, status }] };
}

// ---- what comes next ---------------------------------------------------------------------------------------------------

/** Goes on from what was already decided. */
function andThen({ next, effects }: Decision, at: Moment & NodeSettings): Decision {
  const then = goOn(next, at);
  return { next: then.next, effects: [...effects, ...then.effects] };
}

/** Looks at what is known and wanted, and takes the next step, if it is not under way already. */
function goOn(state: PodWorkerState, at: Moment & NodeSettings): Decision {
  const { phase, statusKnown, work, observed: seen, needsNewerThan } = state;
  if (phase.type === 'waiting-for-pod' || !statusKnown) return { next: state, effects: [] };
  if (seen === undefined || seen.observedAt <= needsNewerThan) {
    const first = publishUnseen(state, at);
    if (work.observing) return first;
    const looking = look(first.next, { newerThan: needsNewerThan });
    return { next: looking.next, effects: [...first.effects, ...looking.effects] };
  }
  return nextStep(state, at);
}
