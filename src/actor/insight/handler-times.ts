/**
 * Upper bounds of the buckets double from a microsecond. The last but one ends at a second; the last holds all longer
 * times.
 */
const BUCKETS = 22;

/** Durations of handlers in a small fixed histogram: exact counts, times known to a factor of two. */
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
  /** Counts per bucket, not cumulative; bucket n ends at `bucketEndMs(n)`. */
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** Milliseconds; the last bucket has no end. */
export const bucketEndMs = (bucket: number): number => (bucket === BUCKETS - 1 ? Infinity : 2 ** bucket / 1000);

/** Returns the end of the bucket that contains the quantile, in milliseconds; zero when nothing was handled. */
export function quantileMs({ counts }: HandlerTimesFigures, quantile: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let below = 0;
  const bucket = counts.findIndex((count) => (below += count) >= quantile * total);
  // Times above the last bound are known only as longer than it.
  return Math.min(bucketEndMs(bucket), bucketEndMs(BUCKETS - 2));
}
