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

/** What is wanted of the pod, and how far its end has come. One-way, from top to bottom. */
export type PodPhase =
  /** Nobody has said yet what is wanted. */
  | { readonly type: 'waiting-for-pod'; readonly going?: Going }
  | { readonly type: 'syncing'; readonly pod: Pod }
  /** `stopTold`: every sandbox has been told to stop, also one that had died by itself and may still hold an address. */
  | {
      readonly type: 'terminating';
      readonly target: Terminating;
      readonly stopTold: boolean;
    }
  /** Nothing runs any more. A pod that ended by itself stays here, so that it is never started again. */
  | { readonly type: 'terminated'; readonly target: Terminating };

/** The pod is to go, whichever it is: the word of that has overtaken the pod itself. */
export interface Going {
  readonly asked: number | undefined;
}

/** A pod that is going away. `wanted: 'gone'`: nothing of it is to be left; `'ended'`: it ended by itself and stays visible. */
export interface Terminating {
  /** Undefined for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly graceSeconds: number;
  readonly wanted: 'gone' | 'ended';
  /** It is wanted again under the same UID: its dead containers and sandboxes are left to whoever takes it up then. */
  readonly wantedAgain?: true;
  /** Why the node has ended it; absent: it did not. */
  readonly ending?: PodEnding;
}

export interface PodWorkerState {
  /** What runs of the pod is not held to the pod's limits: it is stopped, and begun anew in a cgroup of its own. */
  readonly cgroupGone: boolean;
  readonly phase: PodPhase;
  /** Nothing of the pod can be in the runtime yet: before it is looked at, it is already known to be pending. */
  readonly isNew: boolean;
  /** The number of the latest word on what is wanted. */
  readonly heard: number;
  readonly runtimeName: string;
  readonly networkNotReady: string;
  /** The newest that PLEG has said. Only acted upon when it is newer than `needsNewerThan`. */
  readonly observed: ObservedPod | undefined;
  /** Monotonic instant. What was observed before it may lack what this worker, or one before it, has done since. */
  readonly needsNewerThan: MonotonicMs;
  /** Effects under way. No two of a kind, but stops, since a shorter grace period does not wait, and the looks after them. */
  readonly work: {
    readonly observing: number;
    readonly acting: boolean;
    readonly stopping: number;
    readonly removing: boolean;
  };
  /** By container name, while acting: the back-off step of each container that the sync attempt may come to. */
  readonly advances: ReadonlyMap<string, BackOffAdvance>;
  /** The last status told; a worker that was restarted reads it back first. */
  readonly status: PodStatus | undefined;
  readonly statusKnown: boolean;
  /** The status manager has lost what it was told. */
  readonly reportDue: boolean;
  readonly memory: PodMemory;
  readonly probes: PodProbes;
  /** A running container whose postStart hook an earlier life has begun and not seen the end of: it is run again. */
  readonly unfinishedHook: ContainerId | undefined;
  readonly resizing: Resizing;
  /** Containers of an earlier life under the same UID: nobody asks for their logs once newer ones are there. */
  readonly formerLife: ReadonlySet<ContainerId>;
}

export interface BackOffAdvance {
  readonly key: string;
  readonly entry: BackOffEntry;
}

/** What is remembered between sync attempts. */
export interface PodMemory {
  /** By container name: why it could not be started. */
  readonly failures: ReadonlyMap<string, ContainerFailure>;
  /**
   * By container that has ended, when that was (monotonic), from the first sight of it on: the runtime's own time of it is
   * one of the wall clock, which may be set before its back-off is over.
   */
  readonly exits: ReadonlyMap<ContainerId, MonotonicMs>;
  /** By `crashLoopKey`. */
  readonly crashLoops: ReadonlyMap<string, BackOffEntry>;
  /** By `pullBackOffKey`. */
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** How soon sandboxes have followed one another. */
  readonly sandboxes: BackOffEntry | undefined;
  /** Why the pod as a whole could not be brought further, and when to try again (monotonic). */
  readonly podFailure: { readonly message: string; readonly until: MonotonicMs } | undefined;
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
      /** Hooks to run again, before anything else is started. */
      readonly unfinishedHook: ContainerId | undefined;
      /** By container name: the least count that its next instance may have. */
      readonly restarts: ReadonlyMap<string, number>;
      /** Monotonic instant at which the runtime was as `runtime` has it. */
      readonly lookedAt: MonotonicMs;
      readonly resizing: Resizing;
    }
  /** Stop starting things: what can be given up is given up, the rest ends on its own. */
  | { readonly type: 'cancel-acting' }
  | { readonly type: 'stop-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  | { readonly type: 'remove-pod'; readonly target: Terminating; readonly runtime: RuntimePodStatus }
  /** Tells the volume manager what the pod wants, for volumes that are there already. */
  | { readonly type: 'want-volumes'; readonly pod: Pod }
  /** Nothing of the pod runs any more: what its volumes hold is of no use to anybody. */
  | { readonly type: 'unmount-volumes'; readonly pod: Pod }
  /** Removes dead containers that newer ones have replaced. */
  | ({ readonly type: 'remove-dead' } & Surplus)
  | { readonly type: 'publish'; readonly pod: Pod; readonly status: PodStatus }
  /** What of the pod is to be probed from now on. */
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
  /** Name of the container that it is about; absent: the pod as a whole. */
  readonly container?: string;
}

export interface Moment {
  /** Wall clock, for everything that is compared with what the runtime or the API says. It may be set. */
  readonly now: WallMs;
  /** For whatever waits. */
  readonly monotonic: MonotonicMs;
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

/** How far the pod has come with the resources it has been given (KEP-1287). */
export interface Resizing {
  /** With what the pod came. Undefined: it never asked for anything else. */
  readonly original: PodResources | undefined;
  readonly pending: PendingResize | undefined;
  readonly actuated: ActuatedResources;
  /** Why running containers could not be given what they are to have, and when that is tried again (monotonic). */
  readonly failure: { readonly message: string; readonly until: MonotonicMs } | undefined;
  /** That it is under way can be seen until then at the least (monotonic). */
  readonly shownUntil: MonotonicMs;
}

/** What a worker knows of its pod's probes. */
export interface PodProbes {
  readonly verdicts: PodProbeResults;
  /** What the probe manager was told last, and when (wall clock). */
  readonly told: { readonly text: string; readonly pod: Pod; readonly at: MonotonicMs } | undefined;
}

export interface Decision {
  readonly next: PodWorkerState;
  readonly effects: readonly Effect[];
}
