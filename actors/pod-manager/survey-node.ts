import type { PodUid } from '../../src/kube/ids.ts';
import type { PodManagerProtocol } from './protocol.ts';

export type Survey = Extract<PodManagerProtocol['command'], { type: 'node-surveyed' }>;

/** Returns the differences between a survey and the known state. */
export function surveyChanges(
  { runtimePods, workers, workersBefore }: Survey,
  known: { readonly runtimePods: Iterable<PodUid>; readonly workers: ReadonlyMap<PodUid, unknown> },
) {
  const held = new Set(runtimePods.map(({ podUid }) => podUid));
  const alive = new Set(workers);
  const before = new Set(workersBefore);
  return {
    /** Pods that the runtime does not hold any more. */
    vanished: [...known.runtimePods].filter((uid) => !held.has(uid)),
    /** The worker's thread restarted, or the worker removed its pod and the notice was lost. */
    missing: workersBefore.filter((uid) => !alive.has(uid)),
    /** Unknown workers, except those that became known or went away since the survey began. */
    found: workers.filter((uid) => !before.has(uid) && !known.workers.has(uid)),
  };
}
