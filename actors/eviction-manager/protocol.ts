import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { NodeFigures, PodFigures } from '../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../src/node/eviction/file-systems.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';

/** What the eviction manager can be told. Every `pass` is of its own counting: what is late of an earlier pass counts for nothing. */
export type EvictionManagerCommand =
  /** Of a pod manager that starts anew: say again what the node is short of. */
  | { readonly type: 'report-pressures' }
  /** Its own: it is time to look at the node. */
  | { readonly type: 'look-due'; readonly pass: number }
  /** Its own: memory has run low since the last look. */
  | { readonly type: 'memory-low' }
  /** What an earlier incarnation left behind. Undefined: nobody can say yet. */
  | { readonly type: 'resumed'; readonly left: LeftBehind | undefined }
  /** The node was looked at. Undefined: there are no figures. */
  | { readonly type: 'looked'; readonly pass: number; readonly look: NodeLook | undefined }
  /** The node has freed what it could by itself, and was looked at again. */
  | { readonly type: 'reclaimed'; readonly pass: number; readonly node: NodeFigures | undefined }
  /** Who may be evicted. Undefined: nobody knows. */
  | { readonly type: 'candidates-found'; readonly pass: number; readonly candidates: Candidates | undefined }
  /** A pod that is evicted has ended, or has taken too long, or nobody could say. */
  | { readonly type: 'eviction-answered'; readonly pass: number; readonly podUid: PodUid; readonly ended: boolean }
  | { readonly type: 'leftovers-found'; readonly pass: number; readonly leftovers: Leftovers | undefined };

/** Which of the pods that were evicted are still there. Undefined: nobody knows. */
export interface Leftovers {
  readonly left: readonly PodUid[];
  /** Those of which the pod manager does not know (any more) that they are to go. */
  readonly forgotten: readonly PodUid[];
}

export interface LeftBehind {
  readonly evicting: readonly PodUid[];
  readonly pressures: Pressures | undefined;
}

export interface NodeLook {
  readonly node: NodeFigures;
  readonly fileSystems: FileSystems;
  /** Pods that have a limit on what they put on the node's disk. */
  readonly limited: readonly PodWithFigures[];
}

export interface PodWithFigures {
  readonly pod: Pod;
  /** Undefined: nobody knows. */
  readonly figures: PodFigures | undefined;
}

export interface Candidates {
  readonly pods: readonly PodWithFigures[];
  /** Pods that are being evicted already. */
  readonly evicting: readonly PodUid[];
}

export type EvictionManagerQuestion = { readonly type: 'node-pressures' };

export interface EvictionManagerProtocol {
  readonly command: EvictionManagerCommand;
  readonly question: EvictionManagerQuestion;
  readonly answers: {
    /** What the node is short of; undefined before the first look. */
    readonly 'node-pressures': Pressures | undefined;
  };
}

/** What the eviction manager tells those whom it concerns, after each look at the node. */
export interface PressuresObserved {
  readonly type: 'pressures-observed';
  readonly pressures: Pressures;
}

export const EVICTION_MANAGER = addressOf<EvictionManagerProtocol>('eviction-manager');
