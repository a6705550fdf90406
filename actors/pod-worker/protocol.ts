import type { MonotonicMs, WallMs } from '../../src/actor/clock.ts';
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
import type { VolumeFailed, VolumeSucceeded } from '../volume-manager/protocol.ts';

/** Commands from other actors. */
export type PodWorkerCommand =
  /**
   * The pod is wanted as given. The whole pod crosses once, and again only when it has changed. `sequence` grows with
   * every instruction: an overtaken instruction is dropped.
   */
  | {
      readonly type: 'sync-pod';
      readonly pod: Pod;
      readonly resize?: ResizeReport;
      readonly sequence?: number;
      /** The addresses of this node, the primary family first. Empty when there are none. */
      readonly hostIps?: readonly string[];
    }
  /** The node has other addresses. */
  | { readonly type: 'host-ips-changed'; readonly hostIps: readonly string[]; readonly sequence?: number }
  /** Only the pod's API status differs: another client has set readiness conditions, or ended the pod. */
  | { readonly type: 'reconcile-pod'; readonly pod: Pod; readonly sequence?: number }
  /**
   * The pod is to be removed. A later request may shorten the grace period, never lengthen it. Without
   * `gracePeriodSeconds` the pod's own applies.
   */
  | { readonly type: 'terminate-pod'; readonly gracePeriodSeconds?: number }
  /** The node ends the pod for good. Unlike a removed pod, it stays visible as failed. */
  | { readonly type: 'evict-pod'; readonly gracePeriodSeconds: number; readonly ending: PodEnding }
  /** The runtime holds a pod that no source wants. Only the runtime's data about the pod are known. */
  | { readonly type: 'terminate-runtime-pod'; readonly name: string; readonly namespace: string }
  | PodStatusObserved
  | RuntimeHealthChanged
  | ProbeResult
  /** The probe manager has lost its state. */
  | { readonly type: 'report-probes' }
  /** The status manager has lost its state. */
  | { readonly type: 'report-status' }
  /** The volume manager has lost its state. */
  | { readonly type: 'report-volumes' }
  | VolumeFailed
  | VolumeSucceeded;

/**
 * A pod's request for other resources than its first ones (KEP-1287). The pod itself is sent with its allocated
 * resources.
 */
export interface ResizeReport {
  readonly original: PodResources;
  /** The reason why the requested resources are not allocated now. */
  readonly pending?: PendingResize;
}

/** The worker's own reports: effects that have ended. */
export type PodWorkerReport =
  | {
      readonly type: 'previous-status-read';
      readonly status: PodStatus | undefined;
      /** The probe manager's verdicts on the pod's containers; absent when it does not answer. */
      readonly verdicts?: PodProbeResults;
      /** A container whose postStart hook began and did not end, according to the pod's directory. */
      readonly unfinishedHook?: ContainerId;
      /** The resources last applied to the containers, if the pod was ever resized. */
      readonly actuated?: ActuatedResources;
    }
  | { readonly type: 'observed'; readonly outcome: CriOutcome<ObservedPod> }
  | { readonly type: 'sandbox-ready'; readonly observed: ObservedPod }
  /** Containers of an earlier incarnation run, and the pod's own cgroup does not exist. */
  | { readonly type: 'cgroup-gone' }
  | { readonly type: 'attempt-ended'; readonly result: ActResult }
  | { readonly type: 'stopped'; readonly touched: Touched; readonly failed: string | undefined }
  /**
   * `pod`: everything of the pod. `volumes`: only its volumes. `dead`: containers and sandboxes that newer ones have
   * replaced.
   */
  | { readonly type: 'removed'; readonly what: 'pod' | 'volumes' | 'dead'; readonly failed: string | undefined };

/** Time for the next sync. */
export type PodWorkerTimer = { readonly type: 'sync-due' };

export interface PodWorkerProtocol {
  readonly command: PodWorkerCommand | PodWorkerReport | PodWorkerTimer;
  readonly question: never;
  readonly answers: object;
}

export const podWorker = (uid: PodUid): AddressOf<PodWorkerProtocol> => addressOf(`pod-worker/${uid}`);

/** The arguments a worker starts with. */
export interface PodWorkerInit {
  readonly podUid: PodUid;
  /** The runtime's name for itself, as in `containerd://<id>`. Empty before its first answer. */
  readonly runtimeName: string;
  /** The reason why no pod with its own network may start; empty when pods may. */
  readonly networkNotReady: string;
  /** `fresh`: the runtime holds nothing of the pod that PLEG does not know yet. */
  readonly history: PodHistory;
  /** When the pod manager started the worker, for the pod start metrics. */
  readonly handedOverAt?: WallMs;
}

/** Sandboxes and containers of the pod that an action has changed, or may have changed. */
export interface Touched {
  readonly sandboxes: readonly SandboxId[];
  readonly containers: readonly (readonly [ContainerId, SandboxId | undefined])[];
}

export interface ContainerFailure {
  /** Shown as the container's waiting reason, with the message. */
  readonly reason: string;
  readonly message: string;
  /** Earliest retry (monotonic). `undefined`: after the usual delay for errors. */
  readonly until: MonotonicMs | undefined;
  /** The waiting reason until then, shown as soon as the failure itself was shown. */
  readonly waitsFor?: { readonly reason: string; readonly message: string };
  /**
   * The container whose start the runtime refused. Once it has ended, the crash-loop back-off decides instead of `until`.
   * If it did not end, it is removed and created afresh.
   */
  readonly left?: ContainerId;
}

/** The outcome of one sync attempt: the results of its steps, folded. */
export interface ActResult {
  readonly touched: Touched;
  /** Containers that the attempt reached. Earlier failures of the others still hold. */
  readonly tried: ReadonlySet<string>;
  /**
   * By container name, the reason why the container could not start. Containers in `tried` without an entry were
   * started.
   */
  readonly failures: ReadonlyMap<string, ContainerFailure>;
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
  /** Why the sandbox could not be created, or a stop failed. The rest of the attempt was then not tried. */
  readonly podFailure: string | undefined;
  /** `true` if the attempt created a sandbox, whatever became of it. */
  readonly createdSandbox?: boolean;
  /** The resources applied to containers in this attempt. */
  readonly actuated?: ActuatedResources;
  /**
   * How the resize of running containers ended; absent when there was none. `refused`: it was found impossible before
   * any step. `unfinished`: a step failed, and the steps before it are done.
   */
  readonly resize?: 'done' | 'refused' | 'unfinished' | undefined;
  /** The reason why running containers could not get their allocated resources. */
  readonly resizeFailure?: string | undefined;
  /** A container that was started, or perhaps was, and whose postStart hook has not returned. */
  readonly unfinishedHook?: ContainerId | undefined;
  /** A call was lost, or an earlier call for the same name is still under way: the runtime must be inspected again. */
  readonly inDoubt: boolean;
  /** The latest status of what the attempt created. It counts even if its notice is late or lost. */
  readonly seen?: ObservedPod | undefined;
}

/** `recreated`: an earlier life of the pod has ended, and its remains are no longer reported. */
export type PodHistory = 'fresh' | 'maybe-running' | 'recreated';

/** The number of the last instruction a worker received, sent at intervals: a later instruction may be lost. */
export interface PodSequenceReport {
  readonly type: 'sequence-reported';
  readonly podUid: PodUid;
  readonly sequence: number;
}

/** Notices to the pod manager. */
export type PodWorkerNotice =
  /** The worker has no pod: it has just started, or an instruction was lost. Repeated until the worker has a pod. */
  | { readonly type: 'worker-restarted'; readonly podUid: PodUid }
  | PodSequenceReport
  /**
   * Nothing of the pod runs any more. `removed`: nothing of the pod is left on the node either, and the worker is gone.
   */
  | {
      readonly type: 'pod-terminated';
      readonly podUid: PodUid;
      readonly removed: boolean;
      /** `dead`: the pod is wanted again, so its ended containers were left in place. */
      readonly left?: 'dead';
      /** The pod's last status, if it ever had one: a removed worker cannot be asked again. */
      readonly status?: PodStatus;
    };
