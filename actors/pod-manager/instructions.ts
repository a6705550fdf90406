import type { PodUid } from '../../src/kube/ids.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ResizeReport } from '../pod-worker/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import { evict, terminate } from './pod-facts.ts';
import type { PodTable } from './pod-table.ts';
import type { Worker } from './worker-record.ts';

/** The instructions for a worker without any state. */
export function instructions(
  uid: PodUid,
  worker: Worker | undefined,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  if (worker === undefined) return [];
  const { pod, resize } = worker;
  const more = terminationInstructions(uid, worker, runtimePod);
  // Until the sources are complete, the pod may still turn out to be wanted.
  return pod === undefined ? more : [sync(uid, { pod, resize }), ...more];
}

/** The pod with its allocated resources. */
export const sync = (
  uid: PodUid,
  { pod, resize }: { pod: Pod; resize: ResizeReport | undefined },
): PodManagerEffect => ({
  type: 'tell-worker',
  uid,
  command: { type: 'sync-pod', pod, ...(resize && { resize }) },
});

/** Instructions about a pod's end that may have been lost on the way. */
export function terminationInstructions(
  uid: PodUid,
  worker: Worker,
  runtimePod: RuntimePodName | undefined,
): readonly PodManagerEffect[] {
  const { stage, eviction } = worker;
  return [
    ...(eviction === undefined || stage === 'ended' ? [] : [evict(uid, eviction)]),
    ...(stage === 'going' ? [removalInstruction(uid, worker, runtimePod)] : []),
  ];
}

/** Only a worker that outlived an earlier manager knows its pod, if it does. */
export const removalInstruction = (
  uid: PodUid,
  { pod, graceSeconds }: Worker,
  runtimePod: RuntimePodName | undefined,
): PodManagerEffect => (pod === undefined ? terminateRuntimePod(uid, runtimePod) : terminate(uid, graceSeconds));

function terminateRuntimePod(uid: PodUid, pod: RuntimePodName | undefined): PodManagerEffect {
  const { name, namespace } = pod ?? { name: '', namespace: '' };
  return { type: 'tell-worker', uid, command: { type: 'terminate-runtime-pod', name, namespace } };
}

/** The node has other addresses. Every pod's status shows them, so every worker gets them. */
export function hostIpsChanged(podTable: PodTable, hostIps: readonly string[]): readonly PodManagerEffect[] {
  const before = podTable.hostIps;
  if (hostIps.join() === before.join()) return [];
  podTable.hostIps = hostIps;
  return [...podTable.workers]
    .filter(([, { pod, stage }]) => pod !== undefined && stage !== 'ended')
    .map(([uid]) => ({ type: 'tell-worker', uid, command: { type: 'host-ips-changed', hostIps } }));
}

export function instruct(podTable: PodTable, uid: PodUid): readonly PodManagerEffect[] {
  return instructions(uid, podTable.workers.get(uid), podTable.runtimePods.get(uid));
}

export function startAllAgain(podTable: PodTable, which: (uid: PodUid) => boolean): readonly PodManagerEffect[] {
  return [...podTable.workers.keys()].filter(which).flatMap((uid) => startAgain(podTable, uid));
}

export function startAgain(podTable: PodTable, uid: PodUid): readonly PodManagerEffect[] {
  if (!podTable.workers.has(uid)) return [];
  return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...instruct(podTable, uid)];
}
