import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import type { ApiPodView } from '../../src/pod/source/api-pod-view.ts';

/** Commands from other actors. */
export type StatusManagerCommand =
  /** From a pod's worker, or from the pod manager for a pod without one: the pod's status has changed. */
  | {
      readonly type: 'pod-status-changed';
      readonly podUid: PodUid;
      readonly pod: string;
      readonly status: PodStatus;
      /** Grows with every status of the pod, from whichever worker: overtaken statuses are dropped. */
      readonly version?: number;
    }
  /**
   * From the pod manager: the API's object of the pod. `podUid` is the pod's UID on this node. The object of a static
   * pod is its mirror pod, which has a UID of its own.
   */
  | { readonly type: 'api-pod-changed'; readonly podUid: PodUid; readonly object: ApiPodView }
  /** From the pod manager: the API no longer has this object. */
  | { readonly type: 'api-pod-gone'; readonly podUid: PodUid; readonly objectUid: string }
  /**
   * From the pod manager: nothing of the pod is left on the node, and this is its last status. Once the API has the
   * status, and the pod is being deleted there, its object may go.
   */
  | { readonly type: 'pod-finished'; readonly podUid: PodUid; readonly pod: string; readonly status: PodStatus }
  /**
   * From the pod manager: the pod is gone from this node. `version`: later statuses still count. `stays`: the pod starts a
   * new life under its UID with the same object.
   */
  | { readonly type: 'forget-pod'; readonly podUid: PodUid; readonly version?: number; readonly stays?: true }
  /** From a pod manager that has finished its survey: all pods not in `kept` are gone. */
  | { readonly type: 'forget-others'; readonly kept: ReadonlySet<PodUid> };

/** The status manager's own report: a call to the API has ended. */
export type StatusManagerReport = {
  readonly type: 'written';
  readonly write: StatusWrite;
  readonly outcome: ApiOutcome<unknown>;
};

/** Time for the next write. */
export type StatusManagerTimer = { readonly type: 'write-due' };

export type StatusManagerQuestion =
  | { readonly type: 'status-of-pod'; readonly podUid: PodUid }
  | { readonly type: 'all-statuses' }
  | { readonly type: 'write-figures' };

export interface StatusManagerProtocol {
  readonly command: StatusManagerCommand | StatusManagerReport | StatusManagerTimer;
  readonly question: StatusManagerQuestion;
  readonly answers: {
    /** `undefined` when the pod has no status yet, or this incarnation has not received it. */
    readonly 'status-of-pod': PodStatus | undefined;
    readonly 'all-statuses': ReadonlyMap<PodUid, PodStatus>;
    readonly 'write-figures': WriteFigures;
  };
}

/** Counts of the calls to the API; all zero without an API server. */
export interface WriteFigures {
  readonly patches: number;
  readonly deletes: number;
  readonly gets: number;
  /** Calls that were rejected or got no answer. */
  readonly failed: number;
  /** Pods whose newest status is not in the API yet. */
  readonly waiting: number;
}

/** The change that a pod's object in the API needs. */
export type WantedWrite =
  /** `body` is the patch, `status` the resulting status. The UID in the patch protects another pod of the same name. */
  | { readonly type: 'patch'; readonly body: object; readonly status: PodStatus }
  /** The last step of a deletion: the object may go, if it is still this one. */
  | { readonly type: 'delete'; readonly body: object };

/** One call to make for a pod. While it is under way there is no other for that pod. */
export interface StatusWrite {
  readonly podUid: PodUid;
  readonly object: ApiPodView;
  readonly wanted: WantedWrite | { readonly type: 'get' };
}

export const STATUS_MANAGER = addressOf<StatusManagerProtocol>('status-manager');
