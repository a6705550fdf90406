/** A bucket of pulls that may begin: so many a second, and so many at once when none have for a while. */
export interface PullRate {
  /** 0: no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface PullBucket {
  readonly left: number;
  /** Monotonic milliseconds: when that was so. */
  readonly at: number;
}

export const fullBucket = ({ burst }: PullRate, now: number): PullBucket => ({ left: burst, at: now });

/** The bucket after one more pull; undefined: it is empty, and the pull is not to be. */
export function takePull(bucket: PullBucket, rate: PullRate, now: number): PullBucket | undefined {
  if (rate.perSecond === 0) return bucket;
  const left = Math.min(rate.burst, bucket.left + ((now - bucket.at) * rate.perSecond) / 1_000);
  return left < 1 ? undefined : { left: left - 1, at: now };
}

/** How many pulls of each image are under way, and when the last of them began (monotonic milliseconds). */
export type PullsUnderWay = ReadonlyMap<string, { readonly count: number; readonly begunAt: number }>;

export const withPull = (pulls: PullsUnderWay, image: string, now: number): PullsUnderWay =>
  new Map([...pulls, [image, { count: (pulls.get(image)?.count ?? 0) + 1, begunAt: now }]]);

/** One fewer. An image of which none are left is not among them. */
export function withoutPull(pulls: PullsUnderWay, image: string): PullsUnderWay {
  const left = new Map(pulls);
  const { count, begunAt } = left.get(image) ?? { count: 1, begunAt: 0 };
  if (count > 1) left.set(image, { count: count - 1, begunAt });
  else left.delete(image);
  return left;
}

/** A pull that began so long ago is over, or will be made again: whoever made it has not said how it ended. */
const FORGOTTEN_MS = 3_600_000;

/** Without those whose end nobody will note any more. */
export const stillUnderWay = (pulls: PullsUnderWay, now: number): PullsUnderWay =>
  new Map([...pulls].filter(([, { begunAt }]) => now - begunAt < FORGOTTEN_MS));
