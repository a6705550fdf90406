import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { PodDiskAt } from '../../src/stats/add-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';

/** The last walk of each pod's files, and the pods to walk next. */
export interface WalkState {
  readonly walked: ReadonlyMap<string, WalkedAt>;
  /** Pods of the walk under way; `undefined` when there is none. */
  readonly underWay: readonly PodFolders[] | undefined;
  /** Pods that a caller waits for: they are walked before all others, due or not. */
  readonly wanted: ReadonlySet<string>;
}

export interface WalkedAt {
  readonly disk: PodDiskAt;
  /** Monotonic end of the walk. */
  readonly at: MonotonicMs;
  /** Monotonic instant from which the pod is walked again. */
  readonly dueAt: MonotonicMs;
}

export const nothingWalked: WalkState = { walked: new Map(), underWay: undefined, wanted: new Set() };

/** Pods per walk: few enough that no pod waits long for its end. */
export const WALKED_AT_ONCE = 100;

/**
 * Decides which pods are walked next: first pods that a caller waits for, then pods never walked, then those overdue
 * longest. One walk at a time. Records of pods that are gone are dropped.
 */
export function nextWalk(
  state: WalkState,
  pods: readonly PodFolders[],
  now: MonotonicMs,
): { readonly next: WalkState; readonly walk: readonly PodFolders[] } {
  const there = new Map<string, WalkedAt>();
  const wanted = new Set<string>();
  const due: { readonly pod: PodFolders; readonly dueAt: MonotonicMs }[] = [];
  for (const pod of pods) {
    const known = state.walked.get(pod.uid);
    if (known !== undefined) there.set(pod.uid, known);
    const dueAt = known?.dueAt ?? Number.NEGATIVE_INFINITY;
    if (state.wanted.has(pod.uid)) wanted.add(pod.uid);
    if (dueAt <= now || wanted.has(pod.uid)) due.push({ pod, dueAt });
  }
  if (state.underWay !== undefined) return { next: { ...state, walked: there, wanted }, walk: [] };
  const rank = ({ pod }: (typeof due)[number]): number => (wanted.has(pod.uid) ? 0 : 1);
  due.sort((a, b) => rank(a) - rank(b) || (a.dueAt === b.dueAt ? 0 : a.dueAt - b.dueAt));
  const walk = due.slice(0, WALKED_AT_ONCE).map(({ pod }) => pod);
  return { next: { walked: there, wanted, underWay: walk.length === 0 ? undefined : walk }, walk };
}

/** Records the end of a walk. Pods it did not reach stay due, as do all pods of a lost walk. */
export function afterWalk(state: WalkState, walked: readonly WalkedAt[]): WalkState {
  const all = new Map(state.walked);
  const wanted = new Set(state.wanted);
  for (const each of walked) {
    all.set(each.disk.uid, each);
    wanted.delete(each.disk.uid);
  }
  return { walked: all, underWay: undefined, wanted };
}

/** Marks the pods that were not walked since this instant as wanted now. */
export function want(state: WalkState, uids: readonly string[], since: MonotonicMs): WalkState {
  const wanted = new Set(state.wanted);
  for (const uid of uids) if ((state.walked.get(uid)?.at ?? Number.NEGATIVE_INFINITY) < since) wanted.add(uid);
  return { ...state, wanted };
}

/** No caller waits for any pod any more. */
export const wantNothing = (state: WalkState): WalkState => ({ ...state, wanted: new Set() });
