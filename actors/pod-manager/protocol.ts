import { addressOf } from '../../src/actor/messages/message.ts';
import type { Keyed } from '../../src/kube/text/own.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod, ResourceList } from '../../src/kube/pod.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { Taint } from '../../src/node/admission/taints.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';
import type { PressuresObserved } from '../eviction-manager/protocol.ts';
import type { NodeAddressesObserved } from '../node-addresses/protocol.ts';
import type { NodeShuttingDown } from '../node-shutdown/protocol.ts';
import type { RuntimePodName, RuntimePodNotice } from '../pleg/protocol.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import type { PodWorkerNotice } from '../pod-worker/protocol.ts';

/** Commands from other actors. */
export type PodManagerCommand =
  | PodSourceChange
  | RuntimePodNotice
  | RuntimeHealthChanged
  | PodWorkerNotice
  /** From a restarted status manager: send the API's pods again, and which pods are over. */
  | { readonly type: 'report-api-pods' }
  /** From a restarted mirror pods actor: send the static pods and the mirror pods again. */
  | { readonly type: 'report-mirror-pods' }
  /** From the node status actor: the API's object of this node. */
  | { readonly type: 'node-observed'; readonly node: ObservedNode }
  | NodeAddressesObserved
  /** From the node shutdown actor: admission of pods stops, or resumes. */
  | NodeShuttingDown
  /** From the eviction manager: the node's pressures, which restrict admission. */
  | PressuresObserved;

/** The pod manager's own reports. */
export type PodManagerReport =
  /** Sent by the question `remove-all-pods`: no pod is wanted any more. */
  | { readonly type: 'drain' }
  /** Sent by the question of the same name. */
  | EvictPod
  /**
   * The result of a survey, at the start and at intervals. `workersBefore`: pods with a worker, as the manager knew
   * them when the survey began.
   */
  | {
      readonly type: 'node-surveyed';
      readonly runtimePods: readonly RuntimePodName[];
      readonly workers: readonly PodUid[];
      readonly workersBefore: readonly PodUid[];
    }
  /** The Node object as just read from the server; `undefined` when the server has none. */
  | { readonly type: 'node-read'; readonly node: ObservedNode | undefined }
  /** Whether the server has a pod with this UID. */
  | { readonly type: 'pod-read'; readonly podUid: PodUid; readonly server: 'has-pod' | 'has-no-pod' }
  /** A thread has started or restarted: its pod workers are gone. */
  | { readonly type: 'thread-started'; readonly thread: string };

/** The pod manager's own timers. */
export type PodManagerTimer =
  /** Sends pending removals to their workers again. */
  | { readonly type: 'resend-due' }
  /** The victims of this pod's preemption have had their time. */
  | { readonly type: 'preemption-overdue'; readonly podUid: PodUid }
  /** Surveys the node again: a notice may have been lost. */
  | { readonly type: 'survey' };

/** The fields of the Node object that decide about admission. */
export interface ObservedNode {
  readonly metadata: { readonly name: string; readonly labels?: Keyed<string> };
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly allocatable?: ResourceList;
    readonly features?: { readonly supplementalGroupsPolicy?: boolean };
  };
}

/** Ends a pod for good: an eviction, a preemption or a shutdown. The pod stays visible as failed. */
export interface EvictPod {
  readonly type: 'evict-pod';
  readonly podUid: PodUid;
  readonly gracePeriodSeconds: number;
  readonly ending: PodEnding;
}

/**
 * The pods that still need their files and containers. With `knowsAll`, everything of other pods may be removed;
 * otherwise nothing may be concluded.
 */
export interface PodsOnNode {
  readonly knowsAll: boolean;
  readonly pods: readonly PodOnNode[];
}

export interface PodOnNode {
  readonly podUid: PodUid;
  /**
   * `living`: the pod runs, or is to run. `going`: its worker removes it. `ended`: it ended by itself, and its remains
   * can still be read. `evicted`: the node ended it. `over`: nothing of it is on the node, but its API object exists.
   */
  readonly life: 'living' | 'going' | 'ended' | 'evicted' | 'over';
  /** Images mounted as volumes of the pod, as its spec names them. */
  readonly imageVolumes?: readonly string[];
}

/** The facts behind eviction decisions, complete enough for an eviction manager that has just restarted. */
export interface EvictionFacts {
  /** `true` once it is known which pods run here. Otherwise the other fields say nothing. */
  readonly complete: boolean;
  /** The requested pods of which something runs, or may run. */
  readonly pods: readonly Pod[];
  /** Their UIDs, and those of running pods without a known spec. */
  readonly there: readonly PodUid[];
  /** All pods that are being evicted and have not ended. */
  readonly evicting: readonly PodUid[];
  /** The last reported pressures of the node. */
  readonly pressures: Pressures | undefined;
}

export type PodManagerQuestion =
  | EvictPod
  /** `storage-limited`: pods with a limit on local storage. A list: the pods of the list that still run. */
  | { readonly type: 'eviction-facts'; readonly of: 'all' | 'storage-limited' | readonly PodUid[] }
  | { readonly type: 'all-pods' }
  | { readonly type: 'pods-on-node' }
  | { readonly type: 'pod-by-name'; readonly namespace: string; readonly name: string }
  /** Removes every pod and admits none any more. Answered when nothing is left. */
  | { readonly type: 'remove-all-pods' };

export interface PodManagerProtocol {
  readonly command: PodManagerCommand | PodManagerReport | PodManagerTimer;
  readonly question: PodManagerQuestion;
  readonly answers: {
    /** Every pod wanted here, and the pods still being removed. */
    readonly 'all-pods': readonly Pod[];
    readonly 'pod-by-name': Pod | undefined;
    readonly 'pods-on-node': PodsOnNode;
    readonly 'remove-all-pods': 'all-removed';
    /** Answered once nothing of the pod runs any more; at once when nothing runs. */
    readonly 'evict-pod': 'ended';
    readonly 'eviction-facts': EvictionFacts;
  };
}

export const POD_MANAGER = addressOf<PodManagerProtocol>('pod-manager');
