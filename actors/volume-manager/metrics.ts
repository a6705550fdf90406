import type { MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { VolumePlan } from '../../src/volumes/plan/volume-plan.ts';

export interface StorageOperation {
  /** The plugin's whole name, including its driver. */
  readonly plugin: string;
  readonly name: 'volume_mount' | 'volume_unmount' | 'map_volume' | 'unmap_volume';
  readonly ok: boolean;
  readonly seconds: number;
}

export interface VolumeCount {
  readonly plugin: string;
  readonly state: 'desired_state_of_world' | 'actual_state_of_world';
  readonly count: number;
}

/** The volume manager's counts, under the kubelet's names. */
export interface VolumeMetrics {
  operated(operation: StorageOperation): void;
  /** Sets the function that counts volumes. Each incarnation sets its own. */
  countedBy(count: () => readonly VolumeCount[]): void;
  /** Sets the function that counts pod certificates by signer and state. Each incarnation sets its own. */
  certificatesBy(count: () => CertificateCounts): void;
}

export type CertificateCounts = readonly (readonly [
  labels: readonly [signerName: string, state: string],
  count: number,
])[];

export function volumeMetrics(families: MetricFamilies): VolumeMetrics {
  const duration = families.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'Storage operation duration',
    labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  const total = families.gauge({
    name: 'volume_manager_total_volumes',
    help: 'Number of volumes in Volume Manager',
    labels: ['plugin_name', 'state'],
  });
  const certificates = families.gauge({
    name: 'kubelet_podcertificate_states',
    help: 'Number of pod certificates, by signer and state.',
    labels: ['signer_name', 'state'],
  });
  return {
    certificatesBy: (count) => certificates.readBy(count),
    operated: ({ plugin, name, ok, seconds }) =>
      duration.observe(seconds, [plugin, name, ok ? 'success' : 'fail-unknown', 'false']),
    countedBy: (count) => total.readBy(() => count().map((each) => [[each.plugin, each.state], each.count])),
  };
}

/** Returns the kubelet's name of the plugin that makes a volume. `driver`: the driver of a claim, where known. */
export function pluginName(plan: VolumePlan, driver: string | undefined): string {
  switch (plan.type) {
    case 'empty-dir':
    case 'host-path':
      return `kubernetes.io/${plan.type}`;
    case 'local':
      return 'kubernetes.io/local-volume';
    case 'files':
      return `kubernetes.io/${plan.plugin}`;
    case 'csi':
      return `kubernetes.io/csi:${plan.driver}`;
    case 'claim':
      return driver === undefined ? 'kubernetes.io/csi' : driver;
    case 'refused':
      return 'unknown';
    default:
      return plan satisfies never;
  }
}
