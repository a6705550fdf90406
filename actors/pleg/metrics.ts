import { Gauge, Histogram, type Registry } from '../../src/metrics/prometheus.ts';
import type { HeldPods } from './state.ts';

/** PLEG's own metrics, under the kubelet's names. */
export interface PlegMetrics {
  relistStarted(now: number): void;
  /** Records the end of a relist, successful or failed. */
  relistEnded(): void;
  relisted(seconds: number, now: number): void;
  /** Records a look at one pod alone. */
  lookedAtPod(seconds: number): void;
  /** From now on the counts are read from this incarnation. */
  heldBy(count: () => HeldPods): void;
}

export function plegMetrics(registry: Registry): PlegMetrics {
  const duration = new Histogram({
    name: 'kubelet_pleg_relist_duration_seconds',
    help: 'Duration in seconds for relisting pods in PLEG.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const interval = new Histogram({
    name: 'kubelet_pleg_relist_interval_seconds',
    help: 'Interval in seconds between relisting in PLEG.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const podDuration = new Histogram({
    name: 'kubelet_pleg_pod_relist_duration_seconds',
    help: 'Duration in seconds for relisting one pod in PLEG.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const lastSeen = new Gauge({
    name: 'kubelet_pleg_last_seen_seconds',
    help: 'Timestamp in seconds when PLEG was last seen active.',
    registers: [registry],
  });
  const underWay = new Gauge({
    name: 'hivelet_pleg_relist_started_timestamp_seconds',
    help: 'Start time in seconds of the relist under way, 0 if there is none. Shows a hanging relist.',
    registers: [registry],
  });
  const pods = new Gauge({
    name: 'kubelet_running_pods',
    help: 'Number of pods that have a running pod sandbox',
    registers: [],
    // Counted at scrape time: the runtime's contents change far more often than metrics are scraped.
    collect() {
      this.set(held?.().runningPods ?? 0);
    },
  });
  const containers = new Gauge({
    name: 'kubelet_running_containers',
    help: 'Number of containers currently running, by their state',
    labelNames: ['container_state'],
    registers: [],
    collect() {
      for (const [container_state, count] of held?.().containers ?? []) this.set({ container_state }, count);
    },
  });
  for (const each of [pods, containers]) registry.registerMetric<string>(each);
  let held: (() => HeldPods) | undefined;
  let lastAt: number | undefined;
  return {
    relistStarted: (now) => underWay.set(now / 1000),
    lookedAtPod: (seconds) => podDuration.observe(seconds),
    relistEnded: () => underWay.set(0),
    heldBy(count) {
      held = count;
    },
    relisted(seconds, now) {
      duration.observe(seconds);
      if (lastAt !== undefined) interval.observe((now - lastAt) / 1000);
      lastAt = now;
      lastSeen.set(now / 1000);
    },
  };
}
