import type { MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { ObserveCall } from '../../src/csi/csi-client.ts';

/** Metrics of calls to drivers, by driver name, under the kubelet's names. */
export function csiMetrics(families: MetricFamilies): (driver: string) => ObserveCall {
  const duration = families.histogram({
    name: 'csi_operations_seconds',
    help: 'Container Storage Interface operation duration with gRPC error code status total',
    labels: ['driver_name', 'method_name', 'grpc_status_code', 'migrated'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  return (driver) =>
    ({ method, code, seconds }) =>
      duration.observe(seconds, [driver, method, code, 'false']);
}
