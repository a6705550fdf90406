import type { Pod } from '../../src/kube/pod.ts';
import type { ResizeNews } from '../pod-worker/protocol.ts';
import type { Eviction } from './pod-facts.ts';

/** What the pod manager has done about a pod. */
export interface Worker {
  /** Empty while it is not known. */
  readonly fullName: string;
  /** Kept until the worker is gone: a new incarnation of it needs the pod to go on taking it away. */
  readonly pod: Pod | undefined;
  /** What its worker has to know of other resources that the pod has asked for. */
  readonly resize?: ResizeNews | undefined;
  readonly stage: 'wanted' | 'going' | 'ended';
  /** How long it may take to go, where that is not the pod's own to say. */
  readonly graceSeconds?: number;
  /** The node has ended it. */
  readonly eviction?: Eviction | undefined;
}

/** The worker of a pod that the node ends. Undefined: nothing of the pod runs, or nobody knows it. */
export const evicted = (worker: Worker | undefined, eviction: Eviction): Worker | undefined =>
  worker?.pod === undefined || worker.stage === 'ended' ? undefined : { ...worker, eviction };
