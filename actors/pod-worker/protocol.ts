import { addressOf, type AddressOf } from '../../src/actor/messages/message.ts';
import type { CriOutcome } from '../../src/cri/fault.ts';
import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import type { ActuatedResources, PendingResize, PodResources } from '../../src/pod/sync/pod-resizes.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { FailedPull } from '../../src/pod/image/image-pull-decision.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';
import type { ObservedPod, PodStatusObserved } from '../pleg/protocol.ts';
import type { PodProbeResults, ProbeResult } from '../probe-manager/protocol.ts';
import type { VolumeFailed, VolumeNoted } from '../volume-manager/protocol.ts';

/** What a pod worker can be told. */
export type PodWorkerCommand =
  /**
   * What is wanted of the pod. The whole of it crosses once; it is sent again only when it has changed. `told`: later words
   * have larger numbers, and one that was overtaken on its way does not count.
   */
  | { readonly type: 'sync-pod'; readonly pod: Pod; readonly resize?: ResizeNews; readonly told?: number }
  /** Only the pod's status in the API is another: of others, on its readiness, or that it is over. */
  | { readonly type: 'reconcile-pod'; readonly pod: Pod; readonly told?: number }
  /** The pod is to go. A later request may shorten the grace period, never lengthen it. Absent: the pod's own. */
  | { readonly type: 'terminate-pod'; readonly gracePeriodSeconds?: number }
  /** The node ends the pod for good. It stays visible as failed, unlike one that is to go. */
  | { readonly type: 'evict-pod'; readonly gracePeriodSeconds: number; readonly ending: PodEnding }
  /** The runtime holds a pod that nothing wants any more: all that is known of it is what the runtime holds. */
  | { readonly type: 'terminate-runtime-pod'; readonly name: string; readonly namespace: string }
  | PodStatusObserved
  | RuntimeHealthChanged
  | ProbeResult
  /** The probe manager has lost what it was told. */
  | { readonly type: 'report-probes' }
  /** The status manager has lost what it was told. */
  | { readonly type: 'report-status' }
  /** The volume manager has lost what it was told. */
  | { readonly type: 'report-volumes' }
  | VolumeFailed
  | VolumeNoted
  | PodWorkerReport;

/** Of a pod that has asked for other resources than it came with (KEP-1287). The pod itself is told with what it was given. */
export interface ResizeNews {
  readonly original: PodResources;
  /** Why it was not given what it asks for now. */
  readonly pending?: PendingResize;
}

/** The worker's own reports that something it started has ended. */
export type PodWorkerReport =
  | {
      readonly type: 'previous-status-read';
      readonly status: PodStatus | undefined;
      /** What the probe manager knows of the pod's containers; absent when it does not answer. */
      readonly verdicts?: PodProbeResults;
      /** A container whose postStart hook was begun and has not ended, as far as the pod's directory tells. */
      readonly unfinishedHook?: ContainerId;
      /** What containers were last given, where the pod was ever resized. */
      readonly actuated?: ActuatedResources;
    }
  | { readonly type: 'observed'; readonly outcome: CriOutcome<ObservedPod> }
  | { readonly type: 'sandbox-ready'; readonly observed: ObservedPod }
  /** Something of the pod runs that an earlier life has started, and the pod's own cgroup is not there. */
  | { readonly type: 'cgroup-gone' }
  | { readonly type: 'acted'; readonly result: ActResult }
  | { readonly type: 'stopped'; readonly touched: Touched; readonly failed: string | undefined }
  /** `pod`: everything of it. `dead`: containers and sandboxes that newer ones have replaced. */
  | { readonly type: 'removed'; readonly what: 'pod' | 'dead'; readonly failed: string | undefined }
  | { readonly type: 'sync-due' };

export interface PodWorkerProtocol {
  readonly command: PodWorkerCommand;
  readonly question: never;
  readonly answers: object;
}

export const podWorker = (uid: PodUid): AddressOf<PodWorkerProtocol> => addressOf(`pod-worker/${uid}`);

/** What a worker is started with. */
export interface PodWorkerInit {
  readonly podUid: PodUid;
  /** What the runtime calls itself, as in `containerd://<id>`. Empty until it has answered once. */
  readonly runtimeName: string;
  /** Why no pod with its own network may start; empty when it may. */
  readonly networkNotReady: string;
  /** `fresh`: nothing of the pod can be in the runtime that PLEG does not know yet. */
  readonly history: PodHistory;
  /** When the pod manager started the worker, for whoever measures how long pods take. */
  readonly handedOverAt?: number;
}

/** Sandboxes and containers of the pod that an action has changed, or may have. */
export interface Touched {
  readonly sandboxes: readonly SandboxId[];
  readonly containers: readonly (readonly [ContainerId, SandboxId | undefined])[];
}

export interface ContainerFailure {
  /** Shown as the container's waiting reason, and its message. */
  readonly reason: string;
  readonly message: string;
  /** When trying again makes sense (monotonic); undefined: after the usual delay for errors. */
  readonly until: number | undefined;
  /** What the container waits for until then, to be shown as soon as the failure itself has been. */
  readonly waitsFor?: { readonly reason: string; readonly message: string };
  /** The container that was made for this try. Once it has ended, the crash-loop back-off decides instead of `until`. */
  readonly left?: ContainerId;
}

/** What came of one round of actions. */
export interface ActResult {
  readonly touched: Touched;
  /** Containers that the round came to. What is remembered of the others still holds. */
  readonly tried: ReadonlySet<string>;
  /** By container name: why it could not be started. Those that were tried and are not in it were started. */
  readonly failures: ReadonlyMap<string, ContainerFailure>;
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** Why the sandbox could not be made, or something could not be stopped; the rest was then not tried. */
  readonly podFailure: string | undefined;
  /** Whatever became of it then. */
  readonly madeSandbox?: boolean;
  /** What containers have been given in this round. */
  readonly actuated?: ActuatedResources;
  /** Why running containers could not be given what they are to have. */
  readonly resizeFailure?: string | undefined;
  /**
   * A call was lost on its way, or an earlier one for the same name is still under way: what the runtime holds is only
   * known once it has been looked at again.
   */
  readonly inDoubt: boolean;
  /** The latest look at what the round has made: it counts although the notice of it may be late, or lost. */
  readonly seen?: ObservedPod | undefined;
}

/** `anew`: a life of it has ended, and what is left of that is not to be told any more. */
export type PodHistory = 'fresh' | 'maybe-running' | 'anew';

/** The number of what a worker has heard last of its pod, said now and then: a later word may have got lost. */
export interface PodHeard {
  readonly type: 'pod-heard';
  readonly podUid: PodUid;
  readonly told: number;
}

/** What a worker says to the pod manager. */
export type PodWorkerNotice =
  /** It has no pod: it is a new incarnation, or what it was told got lost. Said again until it has. */
  | { readonly type: 'worker-restarted'; readonly podUid: PodUid }
  | PodHeard
  /** Nothing of the pod runs any more. `removed`: and nothing of it is left on the node; the worker is gone. */
  | {
      readonly type: 'pod-terminated';
      readonly podUid: PodUid;
      readonly removed: boolean;
      /** `dead`: it is wanted again, so what has ended of it was left where it is. */
      readonly left?: 'dead';
      /** The pod's last, if there ever was one: what is gone cannot be asked again. */
      readonly status?: PodStatus;
    };
