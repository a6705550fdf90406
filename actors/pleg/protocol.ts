import type { MonotonicMs } from '../../src/actor/clock.ts';
import { addressOf } from '../../src/actor/messages/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import type { ContainerEventMessage, RuntimeHealthChanged } from '../cri-gateway/protocol.ts';

/** Commands from other actors. */
export type PlegCommand = ContainerEventMessage | RuntimeHealthChanged;

/** PLEG's own reports: calls that have ended. */
export type PlegReport =
  | { readonly type: 'listed'; readonly at: MonotonicMs; readonly outcome: Listing }
  | { readonly type: 'inspected'; readonly inspection: Inspection; readonly outcome: Inspected };

/** Time to list everything again. */
export type PlegTimer = { readonly type: 'relist' };

/** Both lists of one relist, as the runtime encoded them, or the fault that prevented them. */
export type Listing =
  | { readonly ok: true; readonly sandboxes: Uint8Array; readonly containers: Uint8Array }
  | { readonly ok: false; readonly fault: CriFault };

/** The sandboxes and containers of one pod whose full status is needed. */
export interface Inspection extends RuntimePodName {
  /** Monotonic instant before the inspection. The result is at least as new. */
  readonly at: MonotonicMs;
  readonly sandboxes: readonly SandboxId[];
  /** Each container with its sandbox, which the container's own status does not name. */
  readonly containers: readonly (readonly [ContainerId, SandboxId | undefined])[];
}

/** The result of an inspection. `undefined` beside an ID when the runtime no longer knows it. */
export type Inspected =
  | {
      readonly ok: true;
      readonly sandboxes: readonly (readonly [SandboxId, RuntimeSandbox | undefined])[];
      readonly containers: readonly (readonly [ContainerId, RuntimeContainer | undefined])[];
    }
  | { readonly ok: false; readonly fault: CriFault };

export type PlegQuestion =
  /**
   * Asks for the status of one pod as of an instant after `newerThan` (monotonic). The answer waits for such a status.
   * The answer is a fault if an inspection of the pod failed. PLEG inspects the `touched` sandboxes and containers
   * at once: a worker names those it has just changed. The status is empty for a pod that the runtime does not know.
   */
  | {
      readonly type: 'pod-status';
      readonly podUid: PodUid;
      readonly newerThan: MonotonicMs;
      readonly touched?: Omit<Inspection, 'podUid' | 'at'>;
    }
  /**
   * Asks for every pod the runtime knows, including pods without an observed status. The answer waits for a successful
   * relist that began after `newerThan` (monotonic).
   */
  | { readonly type: 'runtime-pods'; readonly newerThan: MonotonicMs }
  /** Asks for the log paths of the running containers, as far as PLEG has observed them. */
  | { readonly type: 'running-logs' }
  | { readonly type: 'pleg-health' };

export interface PlegProtocol {
  readonly command: PlegCommand | PlegReport | PlegTimer;
  readonly question: PlegQuestion;
  readonly answers: {
    readonly 'pod-status': CriOutcome<ObservedPod>;
    readonly 'runtime-pods': readonly RuntimePodName[];
    readonly 'running-logs': readonly RunningLog[];
    readonly 'pleg-health': PlegHealth;
  };
}

export const PLEG = addressOf<PlegProtocol>('pleg');

export interface ObservedPod {
  readonly status: RuntimePodStatus;
  /**
   * Monotonic instant. The status is at least as new, and holds everything the runtime held of the pod at that instant.
   */
  readonly observedAt: MonotonicMs;
  /**
   * Grows with every report of PLEG. Answers and notices may overtake each other; the largest revision is the latest.
   */
  readonly revision: number;
}

export interface RuntimePodName {
  readonly podUid: PodUid;
  readonly name: string;
  readonly namespace: string;
}

/** A running container and the absolute path of its log. */
export type RunningLog = readonly [ContainerId, path: string];

/** Ages in milliseconds. A relist under way counts from its start, so a hanging relist shows while it hangs. */
export interface PlegHealth {
  readonly healthy: boolean;
  readonly lastRelistAgeMs: number | undefined;
  readonly currentRelistAgeMs: number | undefined;
}

/** Sent to a pod's worker whenever the runtime's view of the pod has changed. */
export type PodStatusObserved = { readonly type: 'pod-status-observed' } & ObservedPod;

/** Sent to the pod manager when PLEG first and last observes a pod. */
export type RuntimePodNotice =
  | ({ readonly type: 'runtime-pod-appeared' } & RuntimePodName)
  | { readonly type: 'runtime-pod-vanished'; readonly podUid: PodUid };
