import { systemClock, later } from '../actor/clock.ts';
import type { PodDisk } from '../stats/pod-disk.ts';
import { type PodFolders, walkPod } from '../stats/walk-pod.ts';

/** After this time no further pod is begun; the caller asks again for the rest. */
const BUDGET_MS = 1_000;

/** Job for a worker thread: measures the disk usage of pods. When its time runs out, the last pods are left out. */
export function walkPods(pods: readonly PodFolders[]): readonly PodDisk[] {
  const until = later(systemClock.monotonic(), BUDGET_MS);
  const walked: PodDisk[] = [];
  for (const pod of pods) {
    if (walked.length > 0 && systemClock.monotonic() > until) break;
    walked.push(walkPod(pod));
  }
  return walked;
}
