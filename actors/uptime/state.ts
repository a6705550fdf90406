/** Returns how long something has run, in milliseconds, from two monotonic instants. Never negative. */
export const uptimeMs = (startedAt: number, now: number): number => Math.max(0, now - startedAt);
