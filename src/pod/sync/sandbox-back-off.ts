import { backOffUntil, isForgotten, type BackOffEntry } from './exponential-back-off.ts';
import { nextBackOffMs, type BackOffLimits } from '../../kube/back-off.ts';

/**
 * A kubelet makes a sandbox that was lost anew at once, however often that happens: about once a second, for that is how often
 * it looks. Here a loss may be seen at once, so that waiting is up to this: the first loss is made good at once, and one that
 * comes soon after another waits, for as long at the most as a kubelet does after a sandbox could not be made at all.
 */
export const SANDBOX_LIMITS: BackOffLimits = { initialMs: 1_000, maxMs: 10_000 };

/** Until when a pod without a sandbox waits for its next one, which is counted from when the last one was made. */
export const nextSandboxAt = (entry: BackOffEntry | undefined, now: number): number | undefined =>
  entry && backOffUntil(entry, { failedAt: entry.advancedAt, now }, SANDBOX_LIMITS);

/** The entry once a sandbox has been made. One that had lasted for a while is the first of a series again. */
export function sandboxMade(entry: BackOffEntry | undefined, now: number): BackOffEntry {
  if (entry === undefined || isForgotten(entry, now, SANDBOX_LIMITS)) return { delayMs: 0, advancedAt: now };
  return { delayMs: nextBackOffMs(entry.delayMs, SANDBOX_LIMITS), advancedAt: now };
}
