import type { Pod } from '../../src/kube/pod.ts';
import type { ResizeReport } from '../pod-worker/protocol.ts';
import type { Eviction } from './pod-facts.ts';

/** The pod manager's record of a pod and its worker. */
export interface Worker {
  /** Empty while unknown. */
  readonly fullName: string;
  /** Kept until the worker is gone: a restarted worker needs the pod to continue removing it. */
  readonly pod: Pod | undefined;
  /** The outcome of the pod's latest resize request, for its worker. */
  readonly resize?: ResizeReport | undefined;
  readonly stage: 'wanted' | 'going' | 'ended';
  /** The grace period of the removal, where the pod's own does not apply. */
  readonly graceSeconds?: number;
  /** Present when the node ends the pod. */
  readonly eviction?: Eviction | undefined;
}

/**
 * Returns the worker record of a pod that the node ends. `undefined` when nothing of the pod runs, or the pod is
 * unknown.
 */
export const evicted = (worker: Worker | undefined, eviction: Eviction): Worker | undefined =>
  worker?.pod === undefined || worker.stage === 'ended' ? undefined : { ...worker, eviction };
