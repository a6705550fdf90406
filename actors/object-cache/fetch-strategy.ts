import type { MonotonicMs } from '../../src/actor/clock.ts';

/** `configMapAndSecretChangeDetectionStrategy`. */
export type ChangeDetection = 'Watch' | 'Cache' | 'Get';

/**
 * Each watch of one object needs a connection. On a node that needs more objects than this at once, the others are
 * fetched from time to time instead.
 */
export const MOST_WATCHES = 200;

/**
 * How old an object that is not watched may be. A volume is refreshed at intervals of its own: its content may be older
 * by one of them (`actors/volume-manager/actor.ts`).
 */
export const KEPT_FOR_MS = 60_000;

/** An object that was not requested for this long is dropped. Volumes are checked every minute or two. */
export const IDLE_MS = 300_000;

/** How the content of an object is fetched. `kept`: the cached content is used. */
export type FetchStrategy = 'watch' | 'kept' | 'ask';

export interface RequestedObject {
  readonly strategy: ChangeDetection;
  /** `true` if the object is watched already. */
  readonly isWatched: boolean;
  /** `true` if the cached object is immutable: while it exists, its content stays as it is. */
  readonly isKept: boolean;
  readonly watches: number;
  /** When the cached content was fetched; `undefined` when nothing is cached. */
  readonly fetchedAt: MonotonicMs | undefined;
  /** `true` if this pod has requested the object before. */
  readonly isKnownPod: boolean;
  readonly now: MonotonicMs;
}

export function fetchStrategy({
  strategy,
  isWatched,
  isKept,
  watches,
  fetchedAt,
  isKnownPod,
  now,
}: RequestedObject): FetchStrategy {
  // The name may belong to another object by now. A pod that began with this object keeps it.
  if (isKept) return isKnownPod ? 'kept' : 'ask';
  if (strategy === 'Get') return 'ask';
  if (isWatched || (strategy === 'Watch' && watches < MOST_WATCHES)) return 'watch';
  return fetchedAt !== undefined && isKnownPod && now - fetchedAt < KEPT_FOR_MS ? 'kept' : 'ask';
}
