import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { NodeFigures, PodFigures } from '../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../src/node/eviction/file-systems.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';

/** Messages that other actors send to the eviction manager. */
export type EvictionManagerCommand =
  /** From a pod manager that has restarted: report the node's pressures again. */
  { readonly type: 'report-pressures' };

/** Own reports. The manager numbers its passes, and ignores messages with the `pass` of an earlier pass. */
export type EvictionManagerReport =
  /** Memory ran low since the last observation. */
  | { readonly type: 'memory-low' }
  /** State that an earlier incarnation left. `left` is `undefined` when the pod manager did not answer. */
  | { readonly type: 'resumed'; readonly left: LeftBehind | undefined }
  /** The node was observed. `observation` is `undefined` when there are no figures. */
  | { readonly type: 'signals-observed'; readonly pass: number; readonly observation: NodeObservation | undefined }
  /** Reclaiming is done, and the node's figures were read again. */
  | { readonly type: 'reclaimed'; readonly pass: number; readonly node: NodeFigures | undefined }
  /** Pods that may be evicted. `candidates` is `undefined` when they are unknown. */
  | { readonly type: 'candidates-found'; readonly pass: number; readonly candidates: Candidates | undefined }
  /** An evicted pod has ended, or did not end in time, or its end is unknown. */
  | { readonly type: 'eviction-answered'; readonly pass: number; readonly podUid: PodUid; readonly ended: boolean }
  | { readonly type: 'leftovers-found'; readonly pass: number; readonly leftovers: Leftovers | undefined };

/** Own timers. */
export type EvictionManagerTimer =
  /** The next pass is due. */
  { readonly type: 'pass-due'; readonly pass: number };

/** Evicted pods that are still present. `undefined` when unknown. */
export interface Leftovers {
  readonly left: readonly PodUid[];
  /** Evicted pods of whose eviction the pod manager does not know (any more). */
  readonly forgotten: readonly PodUid[];
}

export interface LeftBehind {
  readonly evicting: readonly PodUid[];
  readonly pressures: Pressures | undefined;
}

export interface NodeObservation {
  readonly node: NodeFigures;
  readonly fileSystems: FileSystems;
  /** Pods with a limit on local storage. */
  readonly limited: readonly PodWithFigures[];
}

export interface PodWithFigures {
  readonly pod: Pod;
  /** `undefined` when unknown. */
  readonly figures: PodFigures | undefined;
}

export interface Candidates {
  readonly pods: readonly PodWithFigures[];
  /** Pods whose eviction is already under way. */
  readonly evicting: readonly PodUid[];
}

export type EvictionManagerQuestion = { readonly type: 'node-pressures' };

export interface EvictionManagerProtocol {
  readonly command: EvictionManagerCommand | EvictionManagerReport | EvictionManagerTimer;
  readonly question: EvictionManagerQuestion;
  readonly answers: {
    /** The node's pressures; `undefined` before the first observation. */
    readonly 'node-pressures': Pressures | undefined;
  };
}

/** Notice from the eviction manager to its listeners, after each observation of the node. */
export interface PressuresObserved {
  readonly type: 'pressures-observed';
  readonly pressures: Pressures;
}

export const EVICTION_MANAGER = addressOf<EvictionManagerProtocol>('eviction-manager');
