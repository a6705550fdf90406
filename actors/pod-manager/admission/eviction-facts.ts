import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { Pressures } from '../../../src/node/object/node-conditions.ts';
import { hasStorageLimits } from '../../../src/node/eviction/storage-limits.ts';
import type { EvictionFacts, PodManagerQuestion } from '../protocol.ts';
import type { Worker } from '../worker-record.ts';

interface EvictionFactsInput extends Pick<Extract<PodManagerQuestion, { type: 'eviction-facts' }>, 'of'> {
  readonly workers: ReadonlyMap<PodUid, Worker>;
  readonly complete: boolean;
  readonly pressures: Pressures | undefined;
}

/** Collects the pods that may be evicted. Visits all workers, usually at most once in ten seconds. */
export function evictionFacts({ workers, of, complete, pressures }: EvictionFactsInput): EvictionFacts {
  const isRequested = selects(of);
  const pods: Pod[] = [];
  const there: PodUid[] = [];
  const evicting: PodUid[] = [];
  for (const [uid, { pod, stage, eviction }] of workers) {
    if (stage === 'ended') continue;
    if (eviction !== undefined) evicting.push(uid);
    if (!isRequested(uid, pod)) continue;
    there.push(uid);
    if (pod !== undefined) pods.push(pod);
  }
  return { complete, pods, there, evicting, pressures };
}

function selects(of: EvictionFactsInput['of']): (uid: PodUid, pod: Pod | undefined) => boolean {
  if (of === 'all') return () => true;
  if (of === 'storage-limited') return (_, pod) => pod !== undefined && isLimited(pod);
  const named = new Set(of);
  return (uid) => named.has(uid);
}

/** Cached: the same pods are checked again and again. */
const limited = new WeakMap<Pod, boolean>();

function isLimited(pod: Pod): boolean {
  const known = limited.get(pod) ?? hasStorageLimits(pod);
  limited.set(pod, known);
  return known;
}
