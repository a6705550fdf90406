import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import { evict, terminate, type Eviction } from './pod-facts.ts';

/** What the pod manager has done about a pod. */
export interface Worker {
  /** Empty while it is not known. */
  readonly fullName: string;
  /** Kept until the worker is gone: a new incarnation of it needs the pod to go on taking it away. */
  readonly pod: Pod | undefined;
  readonly stage: 'wanted' | 'going' | 'ended';
  /** How long it may take to go, where that is not the pod's own to say. */
  readonly graceSeconds?: number;
  /** The node has ended it. */
  readonly eviction?: Eviction | undefined;
}

/** What a worker that knows nothing has to be told of its pod. */
export function instructions(
  uid: PodUid,
  worker: Worker | undefined,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  if (worker === undefined) return [];
  const { pod, stage, graceSeconds, eviction } = worker;
  // Until the sources are complete it may yet be wanted.
  if (pod === undefined) return stage === 'going' ? [takeRuntimePodAway(uid, runtimePod)] : [];
  return [
    { type: 'tell-worker', uid, command: { type: 'sync-pod', pod } },
    ...(eviction === undefined ? [] : [evict(uid, eviction)]),
    ...(stage === 'going' ? [terminate(uid, graceSeconds)] : []),
  ];
}

export function takeRuntimePodAway(uid: PodUid, pod: RuntimePodName | undefined): PodManagerEffect {
  const { name, namespace } = pod ?? { name: '', namespace: '' };
  return { type: 'tell-worker', uid, command: { type: 'terminate-runtime-pod', name, namespace } };
}
