import type { MonotonicMs, WallMs } from '../../src/actor/clock.ts';
import type { ContainerId } from '../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import type { FailedPull } from '../../src/pod/image/image-pull-decision.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { BackOffEntry } from '../../src/pod/sync/exponential-back-off.ts';
import type { PodActions } from '../../src/pod/sync/pod-actions.ts';
import type { ActuatedResources, PendingResize, PodResources } from '../../src/pod/sync/pod-resizes.ts';
import type { Surplus } from '../../src/pod/sync/replaced-containers.ts';
import type { RuntimePodStatus } from '../../src/pod/values/runtime-pod-status.ts';
import type { ObservedPod } from '../pleg/protocol.ts';
import type { PodProbeResults, ProbedPod } from '../probe-manager/protocol.ts';
import type { ContainerFailure, Touched } from './protocol.ts';

/** The phases of a pod on this node. A pod moves through them from top to bottom, and never back. */
export type PodPhase =
  /** No instruction has arrived yet. */
  | { readonly type: 'waiting-for-pod'; readonly earlyTermination?: EarlyTermination }
  | { readonly type: 'syncing'; readonly pod: Pod }
  /** `stopRequested`: a stop was sent for every sandbox. A sandbox that died may still hold an address. */
  | {
      readonly type: 'terminating';
      readonly target: Terminating;
      readonly stopRequested: boolean;
    }
  /** Nothing of the pod runs any more. A pod that ended without a request stays here, so it never starts again. */
  | { readonly type: 'terminated'; readonly target: Terminating };

/** The instruction to terminate the pod arrived before the pod itself. */
export interface EarlyTermination {
  readonly asked: number | undefined;
}

/** A pod that terminates. `wanted: 'gone'`: the pod is removed. `'ended'`: the pod ended and stays visible. */
export interface Terminating {
  /** `undefined` for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly graceSeconds: number;
  readonly wanted: 'gone' | 'ended';
  /** The pod is wanted again under the same UID. Its dead containers and sandboxes stay for its next worker. */
  readonly wantedAgain?: true;
  /** The node's reason for ending the pod. Absent when the node did not end it. */
  readonly ending?: PodEnding;
}

export interface PodWorkerState {
  /** The pod's containers run outside its cgroup, without its limits. They are stopped and started in a new cgroup. */
  readonly cgroupGone: boolean;
  readonly phase: PodPhase;
  /** The runtime cannot hold anything of the pod yet, so the pod is pending before it was observed. */
  readonly isNew: boolean;
  /** The sequence number of the latest instruction. */
  readonly lastSequence: number;
  readonly runtimeName: string;
  readonly networkNotReady: string;
  /** The addresses of this node, the primary family first. Empty until they are known. */
  readonly hostIps: readonly string[];
  /** The newest status from PLEG. It is used only when it is newer than `needsNewerThan`. */
  readonly observed: ObservedPod | undefined;
  /** Monotonic instant. Earlier observations may lack the latest actions of this worker or of its predecessor. */
  readonly needsNewerThan: MonotonicMs;
  /**
   * Effects under way, at most one of a kind. Stops, and the status requests after them, may overlap: a shorter grace
   * period does not wait.
   */
  readonly work: {
    readonly observing: number;
    readonly acting: boolean;
    readonly stopping: number;
    readonly removing: boolean;
  };
  /** By container name, while acting: the back-off step of each container that the sync attempt may come to. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** While acting: the runtime's state that the sync attempt was decided on. */
  readonly decidedOn: RuntimePodStatus | undefined;
  /** The last reported status. A restarted worker reads it back first. */
  readonly status: PodStatus | undefined;
  readonly statusKnown: boolean;
  /** `true` when the status manager has lost the reported status. */
  readonly reportDue: boolean;
  readonly memory: PodMemory;
  readonly probes: PodProbes;
  /**
   * A container whose postStart hook has not returned: an earlier worker ended meanwhile, or its start was in doubt. The hook
   * runs again. A pod that is to go has abandoned it.
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

/** A failed attempt that may be retried early: as soon as the runtime differs from what the attempt was decided on. */
export interface EarlyRetry {
  readonly notBefore: MonotonicMs;
  readonly decidedOn: RuntimePodStatus;
}

/** When an attempt that failed without a time of its own is retried. */
export interface RetryTime {
  readonly until: MonotonicMs;
  readonly early?: EarlyRetry;
}

/** `early`: present for a failure that named no time of its own. */
export type KnownFailure = ContainerFailure & { readonly early?: EarlyRetry };

/** The facts kept between sync attempts. */
export interface PodMemory {
  /** By container name, the reason why the container could not start. */
  readonly failures: ReadonlyMap<string, KnownFailure>;
  /**
   * By ended container, the monotonic instant of its end. Computed when the end is first observed: the runtime reports
   * wall time, and the wall clock may be set before the back-off is over.
   */
  readonly exits: ReadonlyMap<ContainerId, MonotonicMs>;
  /** By `crashLoopKey`. */
  readonly crashLoops: ReadonlyMap<string, BackOffEntry>;
  /** By `pullBackOffKey`. */
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** The back-off of sandboxes that are created one soon after the other. */
  readonly sandboxes: BackOffEntry | undefined;
  /** The reason why the whole pod could not continue, and the next try (monotonic). */
  readonly podFailure: (RetryTime & { readonly message: string }) | undefined;
}

export type Effect =
  | { readonly type: 'read-previous-status' }
  | { readonly type: 'observe'; readonly newerThan: MonotonicMs; readonly touched?: Touched; readonly afterMs?: number }
  | {
      readonly type: 'act';
      readonly pod: Pod;
      readonly runtime: RuntimePodStatus;
      readonly actions: PodActions;
      readonly memory: PodMemory;
      /** The container whose hook runs again before anything else starts. */
      readonly unfinishedHook: ContainerId | undefined;
      /** By container name, the smallest restart count that the next instance may have. */
      readonly restarts: ReadonlyMap<string, number>;
      /** Monotonic instant at which `runtime` was observed. */
      readonly observedAt: MonotonicMs;
      readonly resizing: Resizing;
    }
  /** Starts nothing more. Cancellable calls are cancelled, the others end on their own. */
  | { readonly type: 'cancel-acting' }
  | { readonly type: 'stop-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  | { readonly type: 'remove-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  /** The pod is wanted again: nothing but its volumes is removed, for its next worker. */
  | { readonly type: 'remove-volumes' }
  /** Sends the pod's volumes to the volume manager, for volumes that are mounted already. */
  | { readonly type: 'want-volumes'; readonly pod: Pod }
  /** Nothing of the pod runs any more, so its volumes are unmounted. */
  | { readonly type: 'unmount-volumes'; readonly pod: Pod }
  /** Removes dead containers that newer ones have replaced. */
  | ({ readonly type: 'remove-dead' } & Surplus)
  | { readonly type: 'publish'; readonly pod: Pod; readonly status: PodStatus }
  /** Replaces the containers that the probe manager probes for this pod. */
  | { readonly type: 'probe'; readonly pod: ProbedPod }
  | { readonly type: 'forget-probes' }
  | { readonly type: 'tell-event'; readonly event: PodEvent }
  | { readonly type: 'report-terminated'; readonly removed: boolean; readonly left?: 'dead' }
  /** At a monotonic instant. */
  | { readonly type: 'sync-at'; readonly at: MonotonicMs };

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Name of the container that the event is about. Absent for an event about the pod as a whole. */
  readonly container?: string;
}

export interface Moment {
  /** Wall clock, for comparison with times from the runtime or the API. It may be set. */
  readonly now: WallMs;
  /** Monotonic clock, for timers and delays. */
  readonly monotonic: MonotonicMs;
  /** In [0, 1). */
  readonly chance: number;
}

export interface NodeSettings {
  readonly syncFrequencyMs: number;
  readonly crashLoopMaxMs: number;
  /** How many dead instances of each container are kept. One when absent. */
  readonly deadContainersKept?: number;
}

/** Progress of an in-place resize (KEP-1287). */
export interface Resizing {
  /** The resources that the pod was created with. `undefined` when the pod never requested others. */
  readonly original: PodResources | undefined;
  readonly pending: PendingResize | undefined;
  readonly actuated: ActuatedResources;
  /** The reason why running containers could not be resized, and the next try (monotonic). */
  readonly failure: { readonly message: string; readonly until: MonotonicMs } | undefined;
  /** A resize ended half-way: the pod's cgroup may differ from the allocated resources, whatever is asked for now. */
  readonly isUnfinished: boolean;
  /** The resize is shown as in progress at least until this monotonic instant. */
  readonly shownUntil: MonotonicMs;
}

/** The probe verdicts on the pod's containers, and the last message to the probe manager. */
export interface PodProbes {
  readonly verdicts: PodProbeResults;
  /** The last message to the probe manager, and when it was sent (monotonic). */
  readonly lastReport: { readonly text: string; readonly pod: Pod; readonly at: MonotonicMs } | undefined;
}

export interface Decision {
  readonly next: PodWorkerState;
  readonly effects: readonly Effect[];
}
