import { Gauge, Histogram, type Registry } from '../../src/metrics/prometheus.ts';
import type { HeldPods } from './pod-records.ts';

/** PLEG's own metrics, under the kubelet's names. */
export interface PlegMetrics {
  relistStarted(now: number): void;
  /** Well or not. */
  relistEnded(): void;
  relisted(seconds: number, now: number): void;
  /** One pod alone was looked at. */
  lookedAtPod(seconds: number): void;
  /** What the runtime holds is asked of this incarnation from now on. */
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
    help: 'When the relist under way was started, 0 if none is: unlike a duration, it tells of a relist that hangs.',
    registers: [registry],
  });
  const pods = new Gauge({
    name: 'kubelet_running_pods',
    help: 'Number of pods that have a running pod sandbox',
    registers: [],
    // Counted when somebody looks: what the runtime holds changes far more often.
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
