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

/** How many pulls of each image are under way. */
export type PullsUnderWay = ReadonlyMap<string, number>;

export const withPull = (pulls: PullsUnderWay, image: string): PullsUnderWay =>
  new Map([...pulls, [image, (pulls.get(image) ?? 0) + 1]]);

/** One fewer. An image of which none are left is not among them. */
export function withoutPull(pulls: PullsUnderWay, image: string): PullsUnderWay {
  const left = new Map(pulls);
  const others = (left.get(image) ?? 1) - 1;
  if (others > 0) left.set(image, others);
  else left.delete(image);
  return left;
}
