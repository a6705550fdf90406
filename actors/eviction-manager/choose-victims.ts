import type { Pod } from '../../src/kube/pod.ts';
import { isCriticalPod } from '../../src/kube/manifest/static-pod.ts';
import { evictionWords, type EvictionWords } from '../../src/node/eviction/eviction-words.ts';
import type { Observations } from '../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../src/node/eviction/file-systems.ts';
import { rankPods } from '../../src/node/eviction/rank-pods.ts';
import { resourceOf, type Signal } from '../../src/node/eviction/signals.ts';
import { storageOffence, type StorageLimit } from '../../src/node/eviction/storage-limits.ts';
import { isHard, type Threshold } from '../../src/node/eviction/thresholds.ts';
import type { PodWithFigures } from './protocol.ts';

/** A pod that is to be evicted, and how. */
export interface Victim {
  readonly pod: Pod;
  readonly graceSeconds: number;
  readonly words: EvictionWords;
  /** Controllers are told that the pod is not to blame, unless it is. */
  readonly disruption: 'yes' | 'no';
  /** What the eviction is counted for. */
  readonly signal: Signal | StorageLimit;
}

/** As good as at once, and yet with a chance to hear of it. */
const AT_ONCE_SECONDS = 1;

/** All pods that have more on the node's disk than they may. */
export const overLimits = (pods: readonly PodWithFigures[], fileSystems: FileSystems): readonly Victim[] =>
  pods.flatMap(({ pod, figures }): readonly Victim[] => {
    const offence = figures && storageOffence(pod, figures, fileSystems);
    if (offence === undefined) return [];
    const words = { message: offence.message, annotations: {} };
    return [{ pod, graceSeconds: AT_ONCE_SECONDS, words, disruption: 'no', signal: offence.limit }];
  });

export interface Choice {
  readonly due: readonly Threshold[];
  readonly first: Threshold;
  readonly fileSystems: FileSystems;
  readonly observations: Observations;
  readonly maxPodGraceSeconds: number;
}

/** The one pod that goes for the first threshold. Undefined: there is nobody who may. */
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
    words: evictionWords(pod, known.get(pod), { resource: resourceOf(first.signal), thresholds: due, observations }),
    disruption: 'yes',
    signal: first.signal,
  };
}
