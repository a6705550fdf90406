import type { Pod } from '../../kube/pod.ts';

/**
 * How long pods may take to end at a shutdown, for one range of priorities: from this one up to the next (KEP-2712).
 */
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

/** Pods from this priority on are critical for the cluster. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Returns the shutdown periods in their order, lowest priority first. Empty when a shutdown does not wait for pods. */
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

/** Returns the sum of all periods: the time for which the machine's shutdown must be delayed. */
export const totalSeconds = (periods: readonly ShutdownPeriod[]): number =>
  periods.reduce((sum, { seconds }) => sum + seconds, 0);

export interface PodsOfPeriod extends ShutdownPeriod {
  readonly pods: readonly { readonly uid: string; readonly name: string; readonly graceSeconds: number }[];
}

/**
 * Groups pods by period, without empty groups. A pod belongs to the highest period whose priority is not above its own,
 * or else to the lowest. No pod gets more time than its period has.
 */
export function shutdownGroups(pods: readonly Pod[], periods: readonly ShutdownPeriod[]): readonly PodsOfPeriod[] {
  const groups = periods.map((period) => {
    const own: PodsOfPeriod['pods'][number][] = [];
    return { ...period, pods: own };
  });
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
