/** The first and the longest delay of a back-off that doubles. */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * The delay after so many failures in a row, the latest one included: `initialMs` after the first, then doubled up to
 * `maxMs`.
 */
export const backOffMs = (failures: number, { initialMs, maxMs }: BackOffLimits): number =>
  Math.min(initialMs * 2 ** Math.max(0, failures - 1), maxMs);

/** The delay that follows a delay of `delayMs`, which is 0 before the first failure. */
export const nextBackOffMs = (delayMs: number, { initialMs, maxMs }: BackOffLimits): number =>
  Math.min(Math.max(delayMs * 2, initialMs), maxMs);

/**
 * The delay, longer by up to `share` of itself: clients that failed together must not retry together. `chance` is in
 * [0, 1).
 */
export const withJitter = (delayMs: number, share: number, chance: number): number => delayMs * (1 + chance * share);
