import { addressOf } from '../../src/actor/messages/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import type { ContainerEventMessage, RuntimeHealthChanged } from '../cri-gateway/protocol.ts';

/** What PLEG can be told. */
export type PlegCommand =
  | ContainerEventMessage
  | RuntimeHealthChanged
  /** Its own timer: list everything again. */
  | { readonly type: 'relist' }
  | { readonly type: 'listed'; readonly at: number; readonly outcome: Listing }
  | { readonly type: 'inspected'; readonly inspection: Inspection; readonly outcome: Inspected };

/** Both lists of one relist, as the runtime encoded them, or why there are none. */
export type Listing =
  | { readonly ok: true; readonly sandboxes: Uint8Array; readonly containers: Uint8Array }
  | { readonly ok: false; readonly fault: CriFault };

/** The sandboxes and containers of one pod that are to be looked at closely. */
export interface Inspection extends RuntimePodName {
  /** Monotonic instant before the look: what is seen is no older. */
  readonly at: number;
  readonly sandboxes: readonly SandboxId[];
  /** With the sandbox each runs in, which a container's own status does not tell. */
  readonly containers: readonly (readonly [ContainerId, SandboxId | undefined])[];
}

/** What was found of it. `undefined` beside an ID: the runtime does not know it any more. */
export type Inspected =
  | {
      readonly ok: true;
      readonly sandboxes: readonly (readonly [SandboxId, RuntimeSandbox | undefined])[];
      readonly containers: readonly (readonly [ContainerId, RuntimeContainer | undefined])[];
    }
  | { readonly ok: false; readonly fault: CriFault };

export type PlegQuestion =
  /**
   * The status of one pod as of an instant after `newerThan` (monotonic). Waits until there is one; a fault if looking at
   * the pod failed meanwhile. With `touched` these sandboxes and containers are looked at now: a worker names what it has
   * just changed. A pod the runtime does not know has an empty status.
   */
  | {
      readonly type: 'pod-status';
      readonly podUid: PodUid;
      readonly newerThan: number;
      readonly touched?: Omit<Inspection, 'podUid' | 'at'>;
    }
  /**
   * Every pod the runtime knows, once a relist begun after `newerThan` (monotonic) has succeeded; also those whose status
   * nobody has seen yet.
   */
  | { readonly type: 'runtime-pods'; readonly newerThan: number }
  /** Where the running containers log to, as far as PLEG has seen them. */
  | { readonly type: 'running-logs' }
  | { readonly type: 'pleg-health' };

export interface PlegProtocol {
  readonly command: PlegCommand;
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
  /** Monotonic instant: nothing in the status is older, and what the runtime held of the pod then is all in it. */
  readonly observedAt: number;
  /** Larger for what PLEG said later. Answers and notices may overtake each other on their way; the largest is the truth. */
  readonly revision: number;
}

export interface RuntimePodName {
  readonly podUid: PodUid;
  readonly name: string;
  readonly namespace: string;
}

/** A container that runs, and the absolute path of its log. */
export type RunningLog = readonly [ContainerId, path: string];

/** Ages in milliseconds; a running relist counts from its start, so a hanging one is seen while it hangs. */
export interface PlegHealth {
  readonly healthy: boolean;
  readonly lastRelistAgeMs: number | undefined;
  readonly currentRelistAgeMs: number | undefined;
}

/** What PLEG tells a pod's worker whenever the runtime's view of the pod has changed. */
export type PodStatusObserved = { readonly type: 'pod-status-observed' } & ObservedPod;

/** What PLEG tells the pod manager: the first and the last it sees of a pod. */
export type RuntimePodNotice =
  | ({ readonly type: 'runtime-pod-appeared' } & RuntimePodName)
  | { readonly type: 'runtime-pod-vanished'; readonly podUid: PodUid };
