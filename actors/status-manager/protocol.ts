import type { Address } from '../../src/actor/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';

/** What the status manager can be told. */
export type StatusManagerCommand =
  /** Of a pod's worker: its status has changed. */
  | { readonly type: 'pod-status-changed'; readonly podUid: PodUid; readonly pod: string; readonly status: PodStatus }
  /** Of the pod manager: the pod is gone from this node. */
  | { readonly type: 'forget-pod'; readonly podUid: PodUid }
  /** Of a pod manager that has found out what there is: whatever else is known here is of pods that are gone. */
  | { readonly type: 'forget-others'; readonly kept: ReadonlySet<PodUid> };

export type StatusManagerQuestion =
  { readonly type: 'status-of-pod'; readonly podUid: PodUid } | { readonly type: 'all-statuses' };

export interface StatusManagerProtocol {
  readonly command: StatusManagerCommand;
  readonly question: StatusManagerQuestion;
  readonly answers: {
    /** Undefined: nothing was said of the pod yet, or this status manager has not heard it. */
    readonly 'status-of-pod': PodStatus | undefined;
    readonly 'all-statuses': ReadonlyMap<PodUid, PodStatus>;
  };
}

export const STATUS_MANAGER: Address = 'status-manager';
