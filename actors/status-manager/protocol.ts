import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import type { ApiPodView } from '../../src/pod/source/api-pod-view.ts';

/** What the status manager can be told. */
export type StatusManagerCommand =
  /** Of a pod's worker, or of the pod manager for a pod that has none: its status has changed. */
  | {
      readonly type: 'pod-status-changed';
      readonly podUid: PodUid;
      readonly pod: string;
      readonly status: PodStatus;
      /** Larger for what was said later, by whichever worker of the pod: what is overtaken on its way counts no more. */
      readonly said?: number;
    }
  /**
   * Of the pod manager: this is what the API has of the pod. `podUid` is the pod's here; the object of a static pod is its
   * mirror pod, and has a UID of its own.
   */
  | { readonly type: 'api-pod-changed'; readonly podUid: PodUid; readonly object: ApiPodView }
  /** Of the pod manager: the API has no such object any more. */
  | { readonly type: 'api-pod-gone'; readonly podUid: PodUid; readonly objectUid: string }
  /**
   * Of the pod manager: nothing of the pod is left on the node, and this is its last status. Once the API has that, and the
   * pod is being deleted there, its object may go.
   */
  | { readonly type: 'pod-finished'; readonly podUid: PodUid; readonly pod: string; readonly status: PodStatus }
  /** Of the pod manager: the pod is gone from this node. */
  /** `said`: what was said after it counts. `stays`: the pod begins anew under its UID, and its object is the same. */
  | { readonly type: 'forget-pod'; readonly podUid: PodUid; readonly said?: number; readonly stays?: true }
  /** Of a pod manager that has found out what there is: whatever else is known here is of pods that are gone. */
  | { readonly type: 'forget-others'; readonly kept: ReadonlySet<PodUid> }
  | StatusManagerReport;

/** Its own reports. */
export type StatusManagerReport =
  | { readonly type: 'written'; readonly write: StatusWrite; readonly outcome: ApiOutcome<unknown> }
  | { readonly type: 'write-due' };

export type StatusManagerQuestion =
  | { readonly type: 'status-of-pod'; readonly podUid: PodUid }
  | { readonly type: 'all-statuses' }
  | { readonly type: 'write-figures' };

export interface StatusManagerProtocol {
  readonly command: StatusManagerCommand;
  readonly question: StatusManagerQuestion;
  readonly answers: {
    /** Undefined: nothing was said of the pod yet, or this status manager has not heard it. */
    readonly 'status-of-pod': PodStatus | undefined;
    readonly 'all-statuses': ReadonlyMap<PodUid, PodStatus>;
    readonly 'write-figures': WriteFigures;
  };
}

/** Of the calls to the API. All zero where there is none. */
export interface WriteFigures {
  readonly patches: number;
  readonly deletes: number;
  readonly gets: number;
  /** Calls that were refused, or got no answer. */
  readonly failed: number;
  /** Pods whose newest status the API does not have yet. */
  readonly waiting: number;
}

/** What is to be done to a pod's object in the API. */
export type WantedWrite =
  /** `status` is what the object has then, `body` is what is sent. The UID in it keeps it from another pod of the same name. */
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
