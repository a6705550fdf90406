import type { Registry } from '../../src/metrics/prometheus.ts';
import { Counter, Histogram } from '../../src/metrics/prometheus.ts';
import type { Signal } from '../../src/node/eviction/signals.ts';
import type { StorageLimit } from '../../src/node/eviction/storage-limits.ts';

export interface EvictionMetrics {
  evicted(signal: Signal | StorageLimit): void;
  /** Observes the age of the figures on which a pod was evicted. */
  statsAge(signal: Signal, seconds: number): void;
}

/** The kubelet's metrics of evictions. They outlive an incarnation. */
export function evictionMetrics(registry: Registry): EvictionMetrics {
  const registers = [registry];
  const labelNames = ['eviction_signal'] as const;
  const evictions = new Counter({
    name: 'kubelet_evictions',
    help: 'Cumulative number of pod evictions by eviction signal',
    labelNames,
    registers,
  });
  const age = new Histogram({
    name: 'kubelet_eviction_stats_age_seconds',
    help: 'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    evicted: (signal) => evictions.inc({ eviction_signal: signal }),
    statsAge: (signal, seconds) => age.observe({ eviction_signal: signal }, Math.max(0, seconds)),
  };
}
