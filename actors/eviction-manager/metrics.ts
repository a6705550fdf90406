import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { Signal } from '../../src/node/eviction/signals.ts';
import type { StorageLimit } from '../../src/node/eviction/storage-limits.ts';

export interface EvictionMetrics {
  evicted(signal: Signal | StorageLimit): void;
  /** Observes the age of the figures on which a pod was evicted. */
  statsAge(signal: Signal, seconds: number): void;
}

/** The kubelet's metrics of evictions. They outlive an incarnation. */
export function evictionMetrics(families: MetricFamilies): EvictionMetrics {
  const labels = ['eviction_signal'];
  const evictions = families.counter({
    name: 'kubelet_evictions',
    help: 'Cumulative number of pod evictions by eviction signal',
    labels,
  });
  const age = families.histogram({
    name: 'kubelet_eviction_stats_age_seconds',
    help: 'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
    labels,
    buckets: DEFAULT_BUCKETS,
  });
  return {
    evicted: (signal) => evictions.add([signal]),
    statsAge: (signal, seconds) => age.observe(Math.max(0, seconds), [signal]),
  };
}
