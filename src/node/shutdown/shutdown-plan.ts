import type { Pod } from '../../kube/pod.ts';

/** How long pods of a priority, and of those above it up to the next one, may take to end at a shutdown (KEP-2712). */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly seconds: number;
}

export interface ShutdownSettings {
  /** Milliseconds, as all durations of the configuration. */
  readonly shutdownGracePeriod: number;
  readonly shutdownGracePeriodCriticalPods: number;
  readonly shutdownGracePeriodByPodPriority: readonly {
    readonly priority: number;
    readonly shutdownGracePeriodSeconds: number;
  }[];
}

/** From here on a pod is one that the cluster stands or falls with. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** The periods in the order they are gone through, lowest priority first. None: a shutdown does not wait for pods. */
export function shutdownPeriods(settings: ShutdownSettings): readonly ShutdownPeriod[] {
  const { shutdownGracePeriod, shutdownGracePeriodCriticalPods, shutdownGracePeriodByPodPriority } = settings;
  const listed = shutdownGracePeriodByPodPriority.map(({ priority, shutdownGracePeriodSeconds }) => ({
    priority,
    seconds: shutdownGracePeriodSeconds,
  }));
  if (listed.length > 0) return listed.toSorted((one, other) => one.priority - other.priority);
  if (shutdownGracePeriod <= 0) return [];
  const critical = Math.floor(shutdownGracePeriodCriticalPods / 1000);
  return [
    { priority: 0, seconds: Math.floor(shutdownGracePeriod / 1000) - critical },
    { priority: CRITICAL_PRIORITY, seconds: critical },
  ];
}

/** What all groups together may take: for so long the machine has to be held back. */
export const totalSeconds = (periods: readonly ShutdownPeriod[]): number =>
  periods.reduce((sum, { seconds }) => sum + seconds, 0);

export interface PodsOfPeriod extends ShutdownPeriod {
  readonly pods: readonly { readonly uid: string; readonly name: string; readonly graceSeconds: number }[];
}

/**
 * The pods by period, empty ones left out: each belongs to the highest whose priority is not above its own, and one below
 * all of them to the lowest. None gets more time than its period has.
 */
export function shutdownGroups(pods: readonly Pod[], periods: readonly ShutdownPeriod[]): readonly PodsOfPeriod[] {
  const groups = periods.map((period) => ({ ...period, pods: [] as PodsOfPeriod['pods'][number][] }));
  for (const { metadata, spec } of pods) {
    const priority = spec.priority ?? 0;
    const group = groups.findLast((each) => each.priority <= priority) ?? groups[0];
    if (group === undefined) continue;
    const own = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
    const name = `${metadata.namespace}/${metadata.name}`;
    group.pods.push({ uid: metadata.uid, name, graceSeconds: Math.min(own, group.seconds) });
  }
  return groups.filter((group) => group.pods.length > 0);
}
