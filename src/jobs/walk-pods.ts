import { systemClock } from '../actor/clock.ts';
import type { PodDisk } from '../stats/pod-disk.ts';
import { type PodFolders, walkPod } from '../stats/walk-pod.ts';

/** No pod is begun after this: what is left is asked for again. */
const BUDGET_MS = 1_000;

/** Job for a worker thread: what pods' files take up. The pods that its time did not suffice for are left out at the end. */
export function walkPods(pods: readonly PodFolders[]): readonly PodDisk[] {
  const until = systemClock.monotonic() + BUDGET_MS;
  const walked: PodDisk[] = [];
  for (const pod of pods) {
    if (walked.length > 0 && systemClock.monotonic() > until) break;
    walked.push(walkPod(pod));
  }
  return walked;
}
