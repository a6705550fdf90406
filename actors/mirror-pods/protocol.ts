import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** Messages that other actors send to the mirror pods actor. */
export type MirrorPodsCommand =
  /** From the pod manager: this static pod is on the node. Sent again when the pod has changed. */
  | { readonly type: 'static-pod-present'; readonly pod: Pod }
  /** From the pod manager: nothing of the static pod is left. */
  | { readonly type: 'static-pod-gone'; readonly podUid: PodUid; readonly fullName: string }
  /**
   * From the pod manager: the API has this mirror pod. `outdated`: the mirror pod shows an end from which its static pod
   * starts again, so it is replaced.
   */
  | { readonly type: 'mirror-pod-present'; readonly mirror: Pod; readonly outdated?: true }
  | { readonly type: 'mirror-pod-gone'; readonly objectUid: string; readonly fullName: string }
  /**
   * From the pod manager: all static pods and mirror pods have been sent. Pods not received exist neither on the node
   * nor in the API.
   */
  | { readonly type: 'snapshot-complete' };

/** Own reports. */
export type MirrorPodsReport = {
  readonly type: 'step-ended';
  readonly step: MirrorStep;
  readonly outcome: ApiOutcome<unknown>;
};

/** Own timers. */
export type MirrorPodsTimer = { readonly type: 'retry-due'; readonly fullName: string };

export interface MirrorPodsProtocol {
  readonly command: MirrorPodsCommand | MirrorPodsReport | MirrorPodsTimer;
  readonly question: never;
  readonly answers: object;
}

/** One call that brings the API's mirror pod of a full name closer to the wanted one. */
export type MirrorStep =
  | { readonly type: 'create'; readonly fullName: string; readonly pod: Pod }
  | {
      readonly type: 'delete';
      readonly fullName: string;
      readonly namespace: string;
      readonly name: string;
      /** UID of the object. Another object under the same name is not changed. */
      readonly uid: string;
    };

export const MIRROR_PODS = addressOf<MirrorPodsProtocol>('mirror-pods');
