import type { Pod } from '../../src/kube/pod.ts';

/** What the pod manager has done about a pod. */
export interface Worker {
  /** Empty while it is not known. */
  readonly fullName: string;
  /** Kept until the worker is gone: a new incarnation of it needs the pod to go on taking it away. */
  readonly pod: Pod | undefined;
  readonly stage: 'wanted' | 'going' | 'ended';
  /** How long it may take to go, where that is not the pod's own to say. */
  readonly graceSeconds?: number;
}
