import type { WallMs } from '../../src/actor/clock.ts';
import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { RuntimeCounts } from './pod-records.ts';

/** PLEG's own metrics, under the kubelet's names. */
export interface PlegMetrics {
  relistStarted(now: WallMs): void;
  /** Records the end of a relist, successful or failed. */
  relistEnded(): void;
  relisted(seconds: number, now: WallMs): void;
  /** Records an inspection of one pod alone. */
  podInspected(seconds: number): void;
  /** Sets the function that the counts are read from. Each incarnation sets its own. */
  heldBy(count: () => RuntimeCounts): void;
}

export function plegMetrics(families: MetricFamilies): PlegMetrics {
  const duration = families.histogram({
    name: 'kubelet_pleg_relist_duration_seconds',
    help: 'Duration in seconds for relisting pods in PLEG.',
    buckets: DEFAULT_BUCKETS,
  });
  const interval = families.histogram({
    name: 'kubelet_pleg_relist_interval_seconds',
    help: 'Interval in seconds between relisting in PLEG.',
    buckets: DEFAULT_BUCKETS,
  });
  const podDuration = families.histogram({
    name: 'kubelet_pleg_pod_relist_duration_seconds',
    help: 'Duration in seconds for relisting one pod in PLEG.',
    buckets: DEFAULT_BUCKETS,
  });
  const lastSeen = families.gauge({
    name: 'kubelet_pleg_last_seen_seconds',
    help: 'Timestamp in seconds when PLEG was last seen active.',
  });
  const underWay = families.gauge({
    name: 'hivelet_pleg_relist_started_timestamp_seconds',
    help: 'When the relist under way was started, 0 if none is: unlike a duration, it tells of a relist that hangs.',
  });
  const pods = families.gauge({
    name: 'kubelet_running_pods',
    help: 'Number of pods that have a running pod sandbox',
  });
  const containers = families.gauge({
    name: 'kubelet_running_containers',
    help: 'Number of containers currently running, by their state',
    labels: ['container_state'],
  });
  for (const gauge of [lastSeen, underWay, pods]) gauge.set(0);
  let lastAt: WallMs | undefined;
  return {
    relistStarted: (now) => underWay.set(now / 1000),
    podInspected: (seconds) => podDuration.observe(seconds),
    relistEnded: () => underWay.set(0),
    heldBy(count) {
      // Counted at each scrape: the runtime changes far more often.
      pods.readBy(() => [[[], count().runningPods]]);
      containers.readBy(() => Array.from(count().containers, ([state, containersIn]) => [[state], containersIn]));
    },
    relisted(seconds, now) {
      duration.observe(seconds);
      if (lastAt !== undefined) interval.observe((now - lastAt) / 1000);
      lastAt = now;
      lastSeen.set(now / 1000);
    },
  };
}
