import type { MonotonicMs } from '../../actor/clock.ts';
import { backOffUntil, isForgotten, type BackOffEntry } from './exponential-back-off.ts';
import { nextBackOffMs, type BackOffLimits } from '../../actor/back-off.ts';

/**
 * The kubelet replaces a lost sandbox at its next sync, about once a second, however often that happens. This agent may
 * notice a loss at once, so it must wait on its own. The first loss is repaired at once. A loss soon after another
 * waits, at most as long as a kubelet waits after a failed creation.
 */
export const SANDBOX_LIMITS: BackOffLimits = { initialMs: 1_000, maxMs: 10_000 };

/**
 * Returns the instant of a pod's next sandbox, counted from the last creation; `undefined` when the pod need not wait.
 */
export const nextSandboxAt = (entry: BackOffEntry | undefined, now: MonotonicMs): MonotonicMs | undefined =>
  entry && backOffUntil(entry, { failedAt: entry.advancedAt, now }, SANDBOX_LIMITS);

/** Returns the entry after a sandbox was created. If the last sandbox lived for a while, a new series begins. */
export function sandboxMade(entry: BackOffEntry | undefined, now: MonotonicMs): BackOffEntry {
  if (entry === undefined || isForgotten(entry, now, SANDBOX_LIMITS)) return { delayMs: 0, advancedAt: now };
  return { delayMs: nextBackOffMs(entry.delayMs, SANDBOX_LIMITS), advancedAt: now };
}
