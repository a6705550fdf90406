import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { Rejection } from '../../src/node/admission/admission.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { AllocatedResources, AskedResize, InfeasibleDetail } from '../../src/pod/sync/pod-resizes.ts';
import type { PodHistory, ResizeNews } from '../pod-worker/protocol.ts';
import type { MirrorPodsCommand } from '../mirror-pods/protocol.ts';
import type { StatusManagerCommand } from '../status-manager/protocol.ts';

/** What the pod manager wants done. */
export type PodManagerEffect =
  | { readonly type: 'start-worker'; readonly uid: PodUid; readonly history: PodHistory }
  | {
      readonly type: 'tell-worker';
      readonly uid: PodUid;
      readonly command:
        | { readonly type: 'sync-pod'; readonly pod: Pod; readonly resize?: ResizeNews }
        | { readonly type: 'reconcile-pod'; readonly pod: Pod }
        | { readonly type: 'terminate-pod'; readonly gracePeriodSeconds?: number }
        | { readonly type: 'evict-pod'; readonly gracePeriodSeconds: number; readonly ending: PodEnding }
        | { readonly type: 'terminate-runtime-pod'; readonly name: string; readonly namespace: string };
    }
  /** Before the pod's worker hears of it: whoever takes over here has to know what was given. */
  | {
      readonly type: 'keep-allocation';
      readonly uid: PodUid;
      readonly allocation: AllocatedResources;
      readonly wasDeferred?: boolean;
    }
  /** Is counted, and nothing else. */
  | {
      readonly type: 'resize-asked';
      readonly uid: PodUid;
      readonly asked: readonly AskedResize[];
      /** Why it can never be. */
      readonly infeasible?: InfeasibleDetail;
    }
  /** Before any of them hears of it: whoever takes over here has to end these, and no others. None: it is over. `lacking`: of what there was too little. */
  | {
      readonly type: 'keep-victims';
      readonly uid: PodUid;
      readonly victims: readonly PodUid[];
      readonly lacking?: string;
    }
  /** Whoever waits for others to end waits no longer than that. */
  | { readonly type: 'await-victims'; readonly uid: PodUid; readonly withinMs: number }
  /** It is judged once more then, and for good. */
  | { readonly type: 'judge-later'; readonly uid: PodUid; readonly afterMs: number }
  | {
      readonly type: 'record-event';
      readonly uid: PodUid;
      readonly pod: Pod;
      readonly event: Pick<EventToRecord, 'type' | 'reason' | 'message'>;
    }
  /** `stays`: it is wanted again, and the API has the same object for it. */
  | { readonly type: 'forget-status'; readonly uid: PodUid; readonly stays?: true }
  /** Something that it said was not heard. */
  | { readonly type: 'ask-source'; readonly source: PodSource }
  | { readonly type: 'tell-status'; readonly uid: PodUid; readonly command: StatusManagerCommand }
  | { readonly type: 'tell-mirrors'; readonly uid: PodUid; readonly command: MirrorPodsCommand }
  /** The node does not take the pod: whoever looks at it is told why. */
  | { readonly type: 'tell-rejection'; readonly uid: PodUid; readonly pod: Pod; readonly rejection: Rejection };
