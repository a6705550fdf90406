import type { MetricFamilies } from '../../src/actor/metric-families.ts';

/** What the log of a container takes on the disk, as far as it has been walked. */
export interface ContainerLogSize {
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly bytes: number;
}

/** What the stats collector shows beside its own texts, under the kubelet's names. */
export interface StatsMetrics {
  /** Sizes are asked of this incarnation from now on. */
  logsOf(sizes: () => readonly ContainerLogSize[]): void;
}

export function statsMetrics(families: MetricFamilies): StatsMetrics {
  const used = families.gauge({
    name: 'kubelet_container_log_filesystem_used_bytes',
    help: "Bytes that a container's log takes on its file system.",
    labels: ['uid', 'namespace', 'pod', 'container'],
  });
  return {
    logsOf(sizes) {
      used.readBy(() =>
        sizes().map(({ uid, namespace, pod, container, bytes }) => [[uid, namespace, pod, container], bytes]),
      );
    },
  };
}
