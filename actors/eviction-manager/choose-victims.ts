import type { Pod } from '../../src/kube/pod.ts';
import { isCriticalPod } from '../../src/kube/manifest/static-pod.ts';
import { evictionTexts, type EvictionTexts } from '../../src/node/eviction/eviction-texts.ts';
import type { Observations } from '../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../src/node/eviction/file-systems.ts';
import { rankPods } from '../../src/node/eviction/rank-pods.ts';
import { resourceOf, type Signal } from '../../src/node/eviction/signals.ts';
import { storageViolation, type StorageLimit } from '../../src/node/eviction/storage-limits.ts';
import { isHard, type Threshold } from '../../src/node/eviction/thresholds.ts';
import type { PodWithFigures } from './protocol.ts';

/** A pod to evict, and how. */
export interface Victim {
  readonly pod: Pod;
  readonly graceSeconds: number;
  readonly words: EvictionTexts;
  /** `yes`: controllers learn that the pod is not to blame. `no` when the pod exceeded its own limits. */
  readonly disruption: 'yes' | 'no';
  /** Label of the eviction's metric. */
  readonly signal: Signal | StorageLimit;
}

/** Almost immediately, but with a chance for the pod to receive SIGTERM. */
const AT_ONCE_SECONDS = 1;

/** All pods that exceed their limits on local storage. */
export const overLimits = (pods: readonly PodWithFigures[], fileSystems: FileSystems): readonly Victim[] =>
  pods.flatMap(({ pod, figures }): readonly Victim[] => {
    const violation = figures && storageViolation(pod, figures, fileSystems);
    if (violation === undefined) return [];
    const words = { message: violation.message, annotations: {} };
    return [{ pod, graceSeconds: AT_ONCE_SECONDS, words, disruption: 'no', signal: violation.limit }];
  });

export interface Choice {
  readonly due: readonly Threshold[];
  readonly first: Threshold;
  readonly fileSystems: FileSystems;
  readonly observations: Observations;
  readonly maxPodGraceSeconds: number;
}

/** The pod to evict for the first threshold. `undefined` when no pod may be evicted. */
export function chooseVictim(
  candidates: readonly PodWithFigures[],
  { due, first, fileSystems, observations, maxPodGraceSeconds }: Choice,
): Victim | undefined {
  const known = new Map(candidates.map(({ pod, figures }) => [pod, figures]));
  const evictable = candidates.map(({ pod }) => pod).filter((pod) => !isCriticalPod(pod));
  const [pod] = rankPods(evictable, { signal: first.signal, fileSystems, figuresOf: (each) => known.get(each) });
  if (pod === undefined) return undefined;
  const own = pod.spec.terminationGracePeriodSeconds ?? maxPodGraceSeconds;
  return {
    pod,
    graceSeconds: isHard(first) ? AT_ONCE_SECONDS : Math.min(maxPodGraceSeconds, own),
    words: evictionTexts(pod, known.get(pod), { resource: resourceOf(first.signal), thresholds: due, observations }),
    disruption: 'yes',
    signal: first.signal,
  };
}
