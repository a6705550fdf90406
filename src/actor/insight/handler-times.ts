/** Upper bounds of the buckets double from a microsecond: the last but one holds a second, the last all above. */
const BUCKETS = 22;

/** How long handlers took, in a small fixed histogram: exact counts, times known to a factor of two. */
export class HandlerTimes {
  readonly #counts = new Float64Array(BUCKETS);
  #sumMs = 0;

  add(ms: number): void {
    this.#sumMs += ms;
    const us = ms * 1000;
    const bucket = us <= 1 ? 0 : Math.min(BUCKETS - 1, 32 - Math.clz32(Math.ceil(us) - 1));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  snapshot(): HandlerTimesFigures {
    return { counts: [...this.#counts], sumMs: this.#sumMs };
  }
}

export interface HandlerTimesFigures {
  /** Per bucket, not accumulated; bucket n ends at `bucketEndMs(n)`. */
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** Milliseconds; the last bucket has no end. */
export const bucketEndMs = (bucket: number): number => (bucket === BUCKETS - 1 ? Infinity : 2 ** bucket / 1000);

/** The end of the bucket in which the quantile lies, in milliseconds; zero when nothing was handled. */
export function quantileMs({ counts }: HandlerTimesFigures, quantile: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let below = 0;
  const bucket = counts.findIndex((count) => (below += count) >= quantile * total);
  // Of what took longer than the last bound only that is known.
  return Math.min(bucketEndMs(bucket), bucketEndMs(BUCKETS - 2));
}
