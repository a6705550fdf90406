import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** The status manager's counts, under the kubelet's names. They outlive an incarnation. */
export interface StatusMetrics {
  /** Records a write to the API, with the seconds since the status was reported. */
  written(seconds: number): void;
}

export function statusMetrics(families: MetricFamilies): StatusMetrics {
  const synced = families.histogram({
    name: 'kubelet_pod_status_sync_duration_seconds',
    help: "Seconds from a pod's new status to its being in the API.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  return { written: (seconds) => synced.observe(seconds) };
}
