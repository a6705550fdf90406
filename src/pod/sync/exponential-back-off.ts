import { later, elapsedMs, type MonotonicMs } from '../../actor/clock.ts';
import { nextBackOffMs, type BackOffLimits } from '../../actor/back-off.ts';

/** The place of one failing thing in the back-off series. Plain data: the caller may store entries anywhere. */
export interface BackOffEntry {
  readonly delayMs: number;
  /** When the delay was last advanced. */
  readonly advancedAt: MonotonicMs;
}

export interface SeriesLimits extends BackOffLimits {
  /** A failure so long after the last advance begins a new series. Default: twice the longest delay. */
  readonly forgetAfterMs?: number;
}

/** Returns limits with a configured cap. A cap below the first delay lowers that delay too. */
export const cappedLimits = (limits: SeriesLimits, maxMs: number): SeriesLimits => ({
  ...limits,
  initialMs: Math.min(limits.initialMs, maxMs),
  maxMs,
});

/** `true` after a long time without a failure: the next failure starts the series from the beginning. */
export const isForgotten = (entry: BackOffEntry, at: MonotonicMs, { maxMs, forgetAfterMs }: SeriesLimits): boolean =>
  elapsedMs(entry.advancedAt, at) > (forgetAfterMs ?? 2 * maxMs);

/**
 * Returns the instant until which to hold back after a failure at `failedAt`; `undefined` when that instant has passed.
 */
export function backOffUntil(
  entry: BackOffEntry | undefined,
  { failedAt, now }: { readonly failedAt: MonotonicMs; readonly now: MonotonicMs },
  limits: SeriesLimits,
): MonotonicMs | undefined {
  if (entry === undefined || isForgotten(entry, failedAt, limits)) return undefined;
  const until = later(failedAt, entry.delayMs);
  return now < until ? until : undefined;
}

/** Returns the entry after one more failure at `failedAt`: the first delay, or twice the last one, up to the cap. */
export function advanced(
  entry: BackOffEntry | undefined,
  { failedAt, now }: { readonly failedAt: MonotonicMs; readonly now: MonotonicMs },
  limits: SeriesLimits,
): BackOffEntry {
  if (entry === undefined || isForgotten(entry, failedAt, limits)) {
    return { delayMs: limits.initialMs, advancedAt: now };
  }
  return { delayMs: nextBackOffMs(entry.delayMs, limits), advancedAt: now };
}
