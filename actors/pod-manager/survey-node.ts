import type { PodUid } from '../../src/kube/ids.ts';
import type { PodManagerProtocol } from './protocol.ts';

export type Survey = Extract<PodManagerProtocol['command'], { type: 'node-surveyed' }>;

/** Returns the differences between a survey and the known state. */
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
    /** The worker's thread restarted, or the worker removed its pod and the notice was lost. */
    missing: minded.filter((uid) => !living.has(uid)),
    /** Unknown workers, except those that became known or went away since the survey began. */
    found: workers.filter((uid) => !before.has(uid) && !known.workers.has(uid)),
  };
}
