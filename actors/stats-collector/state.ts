import type { PodDiskAt } from '../../src/stats/add-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';

/** What is known of pods' files, and whose are to be walked. */
export interface WalkState {
  readonly walked: ReadonlyMap<string, WalkedAt>;
  /** Pods of the walk that is under way; undefined: there is none. */
  readonly underWay: readonly PodFolders[] | undefined;
}

export interface WalkedAt {
  readonly disk: PodDiskAt;
  /** Monotonic instant from which on it is walked again. */
  readonly dueAt: number;
}

export const nothingWalked: WalkState = { walked: new Map(), underWay: undefined };

/** Pods of one walk: few enough that none waits long for the end of it. */
export const WALKED_AT_ONCE = 100;

/**
 * Which pods are walked next: those that never were come first, then those that wait the longest. One walk at a time; what
 * is known of pods that are gone is forgotten.
 */
export function nextWalk(
  state: WalkState,
  pods: readonly PodFolders[],
  now: number,
): { readonly next: WalkState; readonly walk: readonly PodFolders[] } {
  const there = new Map<string, WalkedAt>();
  const due: { readonly pod: PodFolders; readonly dueAt: number }[] = [];
  for (const pod of pods) {
    const known = state.walked.get(pod.uid);
    if (known !== undefined) there.set(pod.uid, known);
    const dueAt = known?.dueAt ?? Number.NEGATIVE_INFINITY;
    if (dueAt <= now) due.push({ pod, dueAt });
  }
  if (state.underWay !== undefined) return { next: { ...state, walked: there }, walk: [] };
  due.sort((a, b) => (a.dueAt === b.dueAt ? 0 : a.dueAt - b.dueAt));
  const walk = due.slice(0, WALKED_AT_ONCE).map(({ pod }) => pod);
  return { next: { walked: there, underWay: walk.length === 0 ? undefined : walk }, walk };
}

/** A walk has ended. Pods that it did not reach stay due, as do all of one that was lost. */
export function afterWalk(state: WalkState, walked: readonly WalkedAt[]): WalkState {
  const all = new Map(state.walked);
  for (const each of walked) all.set(each.disk.uid, each);
  return { walked: all, underWay: undefined };
}
