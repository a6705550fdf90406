/**
 * Of each image, the pods that pull it (by UID), and when each began (monotonic milliseconds). A pod pulls an image once at a
 * time: if it begins again, its worker has crashed, and the end of the earlier pull will not be noted.
 */
export type PullsUnderWay = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface PullOfPod {
  readonly image: string;
  readonly podUid: string;
}

export const withPull = (pulls: PullsUnderWay, { image, podUid }: PullOfPod, now: number): PullsUnderWay =>
  new Map([...pulls, [image, new Map([...(pulls.get(image) ?? []), [podUid, now]])]]);

/** Without the pull of that pod. An image that no pod pulls is not among them. */
export function withoutPull(pulls: PullsUnderWay, { image, podUid }: PullOfPod): PullsUnderWay {
  const left = new Map(pulls);
  const pods = new Map(pulls.get(image));
  pods.delete(podUid);
  if (pods.size > 0) left.set(image, pods);
  else left.delete(image);
  return left;
}

/** A pull that began so long ago is over, or will be made again: its worker has not said how it ended. */
export const FORGOTTEN_MS = 3_600_000;

/** Without the pulls whose end will not be noted any more. */
export function stillUnderWay(pulls: PullsUnderWay, now: number): PullsUnderWay {
  const left = new Map<string, ReadonlyMap<string, number>>();
  for (const [image, pods] of pulls) {
    const recent = [...pods].filter(([, begunAt]) => now - begunAt < FORGOTTEN_MS);
    if (recent.length > 0) left.set(image, new Map(recent));
  }
  return left;
}
