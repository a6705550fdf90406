import type { PodUid } from '../../src/kube/ids.ts';
import type { PodManagerCommand } from './protocol.ts';

export type Survey = Extract<PodManagerCommand, { type: 'node-surveyed' }>;

/** What a survey tells that is not known, or is known otherwise. */
export function newsIn(
  { runtimePods, workers, minded }: Survey,
  known: { readonly runtimePods: Iterable<PodUid>; readonly workers: ReadonlyMap<PodUid, unknown> },
) {
  const held = new Set(runtimePods.map(({ podUid }) => podUid));
  const living = new Set(workers);
  const before = new Set(minded);
  return {
    /** Pods that the runtime does not hold any more. */
    vanished: [...known.runtimePods].filter((uid) => !held.has(uid)),
    /** Its thread has come up anew, or it has taken its pod away, and the word of it was lost. */
    missing: minded.filter((uid) => !living.has(uid)),
    /** Workers of which nothing is known; neither those told of since, nor those that have gone since. */
    found: workers.filter((uid) => !before.has(uid) && !known.workers.has(uid)),
  };
}
