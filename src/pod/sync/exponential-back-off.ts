import { nextBackOffMs, type BackOffLimits } from '../../kube/back-off.ts';
/** One failing thing's place in the series. Plain data: whoever keeps the entries may keep them anywhere. */
export interface BackOffEntry {
  readonly delayMs: number;
  /** When the delay was last advanced. */
  readonly advancedAt: number;
}

/** Limits with a configured cap. One below the first delay lowers that delay too. */
export const cappedLimits = (limits: BackOffLimits, maxMs: number): BackOffLimits => ({
  initialMs: Math.min(limits.initialMs, maxMs),
  maxMs,
});

/** After twice the longest delay without trouble the trouble is over, and the next one starts the series anew. */
export const isForgotten = (entry: BackOffEntry, at: number, { maxMs }: BackOffLimits): boolean =>
  at - entry.advancedAt > 2 * maxMs;

/** Until when to hold back after a failure at `failedAt`, if that is still ahead of `now`. */
export function backOffUntil(
  entry: BackOffEntry | undefined,
  { failedAt, now }: { readonly failedAt: number; readonly now: number },
  limits: BackOffLimits,
): number | undefined {
  if (entry === undefined || isForgotten(entry, failedAt, limits)) return undefined;
  const until = failedAt + entry.delayMs;
  return now < until ? until : undefined;
}

/** The entry after one more failure at `failedAt`: the first delay, or twice the last one, up to the cap. */
export function advanced(
  entry: BackOffEntry | undefined,
  { failedAt, now }: { readonly failedAt: number; readonly now: number },
  limits: BackOffLimits,
): BackOffEntry {
  if (entry === undefined || isForgotten(entry, failedAt, limits)) {
    return { delayMs: limits.initialMs, advancedAt: now };
  }
  return { delayMs: nextBackOffMs(entry.delayMs, limits), advancedAt: now };
}
