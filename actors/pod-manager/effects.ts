import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { Rejection } from '../../src/node/admission/admission.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { AllocatedResources, RequestedResize, InfeasibleDetail } from '../../src/pod/sync/pod-resizes.ts';
import type { PodHistory, ResizeReport } from '../pod-worker/protocol.ts';
import type { MirrorPodsCommand } from '../mirror-pods/protocol.ts';
import type { StatusManagerCommand } from '../status-manager/protocol.ts';

/** Effects of the pod manager's decisions. */
export type PodManagerEffect =
  | { readonly type: 'start-worker'; readonly uid: PodUid; readonly history: PodHistory }
  | {
      readonly type: 'tell-worker';
      readonly uid: PodUid;
      readonly command:
        | { readonly type: 'sync-pod'; readonly pod: Pod; readonly resize?: ResizeReport }
        | { readonly type: 'host-ips-changed'; readonly hostIps: readonly string[] }
        | { readonly type: 'reconcile-pod'; readonly pod: Pod }
        | { readonly type: 'terminate-pod'; readonly gracePeriodSeconds?: number }
        | { readonly type: 'evict-pod'; readonly gracePeriodSeconds: number; readonly ending: PodEnding }
        | { readonly type: 'terminate-runtime-pod'; readonly name: string; readonly namespace: string };
    }
  /** Performed before the pod's worker sees the change: a later manager must know the allocation. */
  | {
      readonly type: 'keep-allocation';
      readonly uid: PodUid;
      readonly allocation: AllocatedResources;
      readonly wasDeferred?: boolean;
    }
  /** Only counted. */
  | {
      readonly type: 'resize-asked';
      readonly uid: PodUid;
      readonly asked: readonly RequestedResize[];
      /** The reason why the resize can never be granted. */
      readonly infeasible?: InfeasibleDetail;
    }
  /**
   * Performed before any victim is instructed: a later manager must end these victims and no others. An empty list ends
   * the preemption. `lacking` names the scarce resource.
   */
  | {
      readonly type: 'keep-victims';
      readonly uid: PodUid;
      readonly victims: readonly PodUid[];
      readonly lacking?: string;
    }
  /** Limits how long the pod waits for its victims. */
  | { readonly type: 'await-victims'; readonly uid: PodUid; readonly withinMs: number }
  /** The Node object is read from the server. */
  | { readonly type: 'read-node' }
  /** The API's pod of this name is read from the server. */
  | { readonly type: 'read-pod'; readonly uid: PodUid; readonly namespace: string; readonly name: string }
  | {
      readonly type: 'record-event';
      readonly uid: PodUid;
      readonly pod: Pod;
      readonly event: Pick<EventToRecord, 'type' | 'reason' | 'message'>;
    }
  /** `stays`: the pod is wanted again, and the API has the same object for it. */
  | { readonly type: 'forget-status'; readonly uid: PodUid; readonly stays?: true }
  /** A message of the source was lost. */
  | { readonly type: 'ask-source'; readonly source: PodSource }
  | { readonly type: 'tell-status'; readonly uid: PodUid; readonly command: StatusManagerCommand }
  | { readonly type: 'tell-mirrors'; readonly uid: PodUid; readonly command: MirrorPodsCommand }
  /** The node rejects the pod: the reason is logged and recorded as an event. */
  | { readonly type: 'tell-rejection'; readonly uid: PodUid; readonly pod: Pod; readonly rejection: Rejection };
