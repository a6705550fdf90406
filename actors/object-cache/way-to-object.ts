import type { MonotonicMs } from '../../src/actor/clock.ts';

/** `configMapAndSecretChangeDetectionStrategy`. */
export type ChangeDetection = 'Watch' | 'Cache' | 'Get';

/**
 * Each watch of one object is a connection of its own. On a node where so many objects are wanted at once, those beyond are
 * asked for from time to time instead.
 */
export const MOST_WATCHES = 200;

/** How old an answer may be that is not watched. */
export const KEPT_FOR_MS = 60_000;

/** What nobody has asked for so long is given up. Volumes are looked at every minute or two. */
export const IDLE_MS = 300_000;

/** How the content of an object is got. */
export type Way = 'watch' | 'kept' | 'ask';

export interface AskedObject {
  readonly strategy: ChangeDetection;
  /** Whether it is watched already. */
  readonly isWatched: boolean;
  readonly watches: number;
  /** When the content that is known was asked for; undefined: none is. */
  readonly fetchedAt: MonotonicMs | undefined;
  /** Whether this pod has asked before. */
  readonly isKnownPod: boolean;
  readonly now: MonotonicMs;
}

export function wayTo({ strategy, isWatched, watches, fetchedAt, isKnownPod, now }: AskedObject): Way {
  if (strategy === 'Get') return 'ask';
  if (isWatched || (strategy === 'Watch' && watches < MOST_WATCHES)) return 'watch';
  return fetchedAt !== undefined && isKnownPod && now - fetchedAt < KEPT_FOR_MS ? 'kept' : 'ask';
}
