import type { ClaimRef, DriverFigures } from '../../src/stats/pod-disk.ts';
import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** What the log of a container takes on the disk, as far as it has been walked. */
export interface ContainerLogSize {
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly bytes: number;
}

/** A claim of a pod with what was measured of its volume last. */
export interface ClaimFigures extends ClaimRef {
  readonly figures: DriverFigures['figures'];
  readonly isAbnormal?: boolean;
}

/** What the stats collector shows beside its own texts, under the kubelet's names. */
export interface StatsMetrics {
  /** Sizes are asked of this incarnation from now on. */
  logsOf(sizes: () => readonly ContainerLogSize[]): void;
  /** The same of claims; once each, whichever pods have it. */
  claimsOf(claims: () => readonly ClaimFigures[]): void;
}

type ValueOf = (claim: ClaimFigures) => number | undefined;

const VOLUME_METRICS: readonly (readonly [what: string, help: string, value: ValueOf])[] = [
  ['capacity_bytes', 'Capacity in bytes of the volume', ({ figures }) => figures.capacityBytes],
  ['available_bytes', 'Number of available bytes in the volume', ({ figures }) => figures.availableBytes],
  ['used_bytes', 'Number of used bytes in the volume', ({ figures }) => figures.usedBytes],
  ['inodes', 'Maximum number of inodes in the volume', ({ figures }) => figures.inodes],
  ['inodes_free', 'Number of free inodes in the volume', ({ figures }) => figures.inodesFree],
  ['inodes_used', 'Number of used inodes in the volume', ({ figures }) => figures.inodesUsed],
  [
    'health_status_abnormal',
    'Whether the driver says that something is wrong with the volume: 1 if so, 0 if not.',
    ({ isAbnormal }) => (isAbnormal === undefined ? undefined : Number(isAbnormal)),
  ],
];

export function statsMetrics(families: MetricFamilies): StatsMetrics {
  const used = families.gauge({
    name: 'kubelet_container_log_filesystem_used_bytes',
    help: "Bytes that a container's log takes on its file system.",
    labels: ['uid', 'namespace', 'pod', 'container'],
  });
  const labels = ['namespace', 'persistentvolumeclaim'] as const;
  const ofVolumes = VOLUME_METRICS.map(([what, help, value]) => ({
    gauge: families.gauge({ name: `kubelet_volume_stats_${what}`, help, labels }),
    value,
  }));
  return {
    claimsOf(claims) {
      for (const { gauge, value } of ofVolumes) {
        gauge.readBy(() =>
          claims().flatMap((claim) => {
            const found = value(claim);
            return found === undefined ? [] : [[[claim.namespace, claim.name], found] as const];
          }),
        );
      }
    },
    logsOf(sizes) {
      used.readBy(() =>
        sizes().map(({ uid, namespace, pod, container, bytes }) => [[uid, namespace, pod, container], bytes]),
      );
    },
  };
}
