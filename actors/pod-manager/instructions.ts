import type { PodUid } from '../../src/kube/ids.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ResizeNews } from '../pod-worker/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import { evict, terminate } from './pod-facts.ts';
import type { PodBook } from './pod-table.ts';
import type { Worker } from './worker-record.ts';

/** The instructions for a worker without any state. */
export function instructions(
  uid: PodUid,
  worker: Worker | undefined,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  if (worker === undefined) return [];
  const { pod, resize } = worker;
  const more = urgings(uid, worker, runtimePod);
  // Until the sources are complete, the pod may still turn out to be wanted.
  return pod === undefined ? more : [sync(uid, { pod, resize }), ...more];
}

/** The pod with its allocated resources. */
export const sync = (uid: PodUid, { pod, resize }: { pod: Pod; resize: ResizeNews | undefined }): PodManagerEffect => ({
  type: 'tell-worker',
  uid,
  command: { type: 'sync-pod', pod, ...(resize && { resize }) },
});

/** Instructions about a pod's end that may have been lost on the way. */
export function urgings(
  uid: PodUid,
  worker: Worker,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  const { stage, eviction } = worker;
  return [
    ...(eviction === undefined || stage === 'ended' ? [] : [evict(uid, eviction)]),
    ...(stage === 'going' ? [goodbye(uid, worker, runtimePod)] : []),
  ];
}

/** Only a worker that outlived an earlier manager knows its pod, if it does. */
export const goodbye = (
  uid: PodUid,
  { pod, graceSeconds }: Worker,
  runtimePod: RuntimePodName | undefined,
): PodManagerEffect => (pod === undefined ? takeRuntimePodAway(uid, runtimePod) : terminate(uid, graceSeconds));

function takeRuntimePodAway(uid: PodUid, pod: RuntimePodName | undefined): PodManagerEffect {
  const { name, namespace } = pod ?? { name: '', namespace: '' };
  return { type: 'tell-worker', uid, command: { type: 'terminate-runtime-pod', name, namespace } };
}

export function instruct(book: PodBook, uid: PodUid): readonly PodManagerEffect[] {
  return instructions(uid, book.workers.get(uid), book.runtimePods.get(uid));
}

export function startAllAgain(book: PodBook, which: (uid: PodUid) => boolean): readonly PodManagerEffect[] {
  return [...book.workers.keys()].filter(which).flatMap((uid) => startAgain(book, uid));
}

export function startAgain(book: PodBook, uid: PodUid): readonly PodManagerEffect[] {
  if (!book.workers.has(uid)) return [];
  return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...instruct(book, uid)];
}
