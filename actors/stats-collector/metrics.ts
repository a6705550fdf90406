import type { ClaimRef, DriverFigures } from '../../src/stats/pod-disk.ts';
import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** The disk size of a container's log, as of the last walk. */
export interface ContainerLogSize {
  readonly uid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly bytes: number;
}

/** A claim of a pod with its volume's last figures. */
export interface ClaimFigures extends ClaimRef {
  readonly figures: DriverFigures['figures'];
  readonly isAbnormal?: boolean;
}

/** The stats collector's metrics beside its own texts, under the kubelet's names. */
export interface StatsMetrics {
  /** Sets the function that log sizes are read from. Each incarnation sets its own. */
  logsOf(sizes: () => readonly ContainerLogSize[]): void;
  /** Sets the function that claims are read from. Each claim counts once, even if several pods use it. */
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
    '1 if the driver reports the volume as abnormal, 0 if not.',
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
