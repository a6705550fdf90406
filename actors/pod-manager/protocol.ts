import { addressOf } from '../../src/actor/messages/message.ts';
import type { Keyed } from '../../src/kube/text/own.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod, ResourceList } from '../../src/kube/pod.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { Taint } from '../../src/node/admission/taints.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';
import type { PressuresObserved } from '../eviction-manager/protocol.ts';
import type { NodeShuttingDown } from '../node-shutdown/protocol.ts';
import type { RuntimePodName, RuntimePodNotice } from '../pleg/protocol.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import type { PodWorkerNotice } from '../pod-worker/protocol.ts';

/** What the pod manager can be told. */
export type PodManagerCommand =
  | PodSourceChange
  | RuntimePodNotice
  | RuntimeHealthChanged
  | PodWorkerNotice
  | { readonly type: 'drain' }
  /** Of a status manager that starts anew: say again what the API has, and which pods are over. */
  | { readonly type: 'report-api-pods' }
  /** Its own timer: whoever is to go is told again. */
  | { readonly type: 'urge' }
  /** Its own timer: those who were to end so that this pod may come have had their time. */
  | { readonly type: 'preemption-overdue'; readonly podUid: PodUid }
  /** Its own timer: the node may have been labelled for the pod by now; it is judged for good. */
  | { readonly type: 'judgement-due'; readonly podUid: PodUid }
  /** Its own timer: what it was told may not be all there is. */
  | { readonly type: 'survey' }
  /** Of a keeper of mirror pods that starts anew: say again which static pods there are, and which mirror pods. */
  | { readonly type: 'report-mirror-pods' }
  /** Of the node status: the API's object of this node. */
  | { readonly type: 'node-observed'; readonly node: ObservedNode }
  /** Of the node shutdown: from now on no pod is let on, or they are again. */
  | NodeShuttingDown
  /** Of the eviction manager: what the node is short of. Decides who is let on. */
  | PressuresObserved
  /** Its own, for the question of the same name. */
  | EvictPod
  /** What there is, found out at the start, and again now and then. `minded`: whose worker it took to live as it asked. */
  | {
      readonly type: 'node-surveyed';
      readonly runtimePods: readonly RuntimePodName[];
      readonly workers: readonly PodUid[];
      readonly minded: readonly PodUid[];
    }
  /** A thread has come up (again): its pod workers are gone. */
  | { readonly type: 'thread-up'; readonly thread: string };

/** What of the Node object decides whether it takes a pod. */
export interface ObservedNode {
  readonly metadata: { readonly name: string; readonly labels?: Keyed<string> };
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly allocatable?: ResourceList;
    readonly features?: { readonly supplementalGroupsPolicy?: boolean };
  };
}

/** The node ends a pod for good: an eviction, a preemption, a shutdown. It stays visible as failed. */
export interface EvictPod {
  readonly type: 'evict-pod';
  readonly podUid: PodUid;
  readonly gracePeriodSeconds: number;
  readonly ending: PodEnding;
}

/** What may be tidied up. Whoever is not among them is nobody's, if `knowsAll`; otherwise nothing may be concluded from that. */
export interface PodsHere {
  readonly knowsAll: boolean;
  readonly pods: readonly PodHere[];
}

export interface PodHere {
  readonly podUid: PodUid;
  /**
   * `living`: it runs, or is to. `going`: its worker is taking it away. `ended`: by itself; what is left of it can still be
   * asked for. `evicted`: the node has ended it. `over`: nothing of it is here any more, but its object is.
   */
  readonly life: 'living' | 'going' | 'ended' | 'evicted' | 'over';
  /** Images that are mounted as its volumes, as its spec names them. */
  readonly imageVolumes?: readonly string[];
}

/** What the eviction manager decides by, and all that one that starts anew has to go by. */
export interface EvictionFacts {
  /** Whether it is known what runs here. If not, the rest says nothing. */
  readonly complete: boolean;
  /** Pods of which something runs, or may: those that were asked for. */
  readonly pods: readonly Pod[];
  /** Their UIDs, and those of pods that nobody has described yet. */
  readonly there: readonly PodUid[];
  /** Of all pods those that are being evicted and have not ended. */
  readonly evicting: readonly PodUid[];
  /** What the node was last said to be short of. */
  readonly pressures: Pressures | undefined;
}

export type PodManagerQuestion =
  | EvictPod
  /** `storage-limited`: those that have a limit on what they put on the node's disk. A list: those of it that still run. */
  | { readonly type: 'eviction-facts'; readonly of: 'all' | 'storage-limited' | readonly PodUid[] }
  | { readonly type: 'all-pods' }
  | { readonly type: 'pods-here' }
  | { readonly type: 'pod-named'; readonly namespace: string; readonly name: string }
  /** Every pod is to go, and none to come any more. Answered when nothing is left. */
  | { readonly type: 'take-all-away' };

export interface PodManagerProtocol {
  readonly command: PodManagerCommand;
  readonly question: PodManagerQuestion;
  readonly answers: {
    /** Every pod that is wanted here, and those that are still going away. */
    readonly 'all-pods': readonly Pod[];
    readonly 'pod-named': Pod | undefined;
    readonly 'pods-here': PodsHere;
    readonly 'take-all-away': 'all-gone';
    /** Once nothing of the pod runs any more; at once where nothing does. */
    readonly 'evict-pod': 'ended';
    readonly 'eviction-facts': EvictionFacts;
  };
}

export const POD_MANAGER = addressOf<PodManagerProtocol>('pod-manager');
