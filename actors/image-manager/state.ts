import type { MonotonicMs } from '../../src/actor/clock.ts';

/**
 * By image, the pods that pull it (by UID), and the begin of each pull (monotonic milliseconds). A pod pulls an image
 * once at a time: if it begins again, its worker has crashed, and the end of the earlier pull will never be reported.
 */
export type PullsUnderWay = ReadonlyMap<string, ReadonlyMap<string, MonotonicMs>>;

interface PullOfPod {
  readonly image: string;
  readonly podUid: string;
}

export const withPull = (pulls: PullsUnderWay, { image, podUid }: PullOfPod, now: MonotonicMs): PullsUnderWay =>
  new Map([...pulls, [image, new Map([...(pulls.get(image) ?? []), [podUid, now]])]]);

/** Removes the pull of that pod. Images without pulls are not kept. */
export function withoutPull(pulls: PullsUnderWay, { image, podUid }: PullOfPod): PullsUnderWay {
  const left = new Map(pulls);
  const pods = new Map(pulls.get(image));
  pods.delete(podUid);
  if (pods.size > 0) left.set(image, pods);
  else left.delete(image);
  return left;
}

/** A pull that began this long ago is over, or will be repeated: its pod worker never reported the end. */
export const FORGOTTEN_MS = 3_600_000;

/** Removes the pulls whose end will never be reported. */
export function stillUnderWay(pulls: PullsUnderWay, now: MonotonicMs): PullsUnderWay {
  const left = new Map<string, ReadonlyMap<string, MonotonicMs>>();
  for (const [image, pods] of pulls) {
    const recent = [...pods].filter(([, begunAt]) => now - begunAt < FORGOTTEN_MS);
    if (recent.length > 0) left.set(image, new Map(recent));
  }
  return left;
}
