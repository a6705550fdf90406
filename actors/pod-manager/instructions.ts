import type { PodUid } from '../../src/kube/ids.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ResizeNews } from '../pod-worker/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import { evict, terminate } from './pod-facts.ts';
import type { PodBook } from './pod-table.ts';
import type { Worker } from './worker-record.ts';

/** What a worker that knows nothing has to be told of its pod. */
export function instructions(
  uid: PodUid,
  worker: Worker | undefined,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  if (worker === undefined) return [];
  const { pod, resize } = worker;
  const more = urgings(uid, worker, runtimePod);
  // Until the sources are complete it may yet be wanted.
  return pod === undefined ? more : [sync(uid, { pod, resize }), ...more];
}

/** The pod with the resources it has been given. */
export const sync = (uid: PodUid, { pod, resize }: { pod: Pod; resize: ResizeNews | undefined }): PodManagerEffect => ({
  type: 'tell-worker',
  uid,
  command: { type: 'sync-pod', pod, ...(resize && { resize }) },
});

/** What of a pod's end may have been lost on the way. */
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

/** Which pod a worker has that outlived an earlier manager, only that worker knows, if it does. */
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
