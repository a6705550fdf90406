import type { Pod, Volume } from '../../kube/pod.ts';
import type { FsFigures, PodFigures } from './figures.ts';
import type { Measured } from './file-systems.ts';

export interface DiskUsage {
  readonly bytes: bigint;
  readonly inodes: bigint;
}

/** Returns a pod's usage of a file system, counting only the files that are on it. */
export function diskUsage(pod: Pod, figures: PodFigures, measured: Measured): DiskUsage {
  const local = measured.localVolumes
    ? new Set((pod.spec.volumes ?? []).filter(isLocal).map(({ name }) => name))
    : NONE;
  const parts = [
    ...(figures.containers ?? []).flatMap(({ rootfs, logs }) => [
      measured.rootFs ? rootfs : undefined,
      measured.logs ? logs : undefined,
    ]),
    ...(figures.volume ?? []).filter(({ name }) => local.has(name)),
  ];
  return {
    bytes: sum(parts.map((part) => part?.usedBytes)),
    inodes: sum(parts.map((part) => part?.inodesUsed)),
  };
}

export const usedBytes = (figures: FsFigures | undefined): bigint => BigInt(figures?.usedBytes ?? 0);

/** Returns a pod's memory that cannot be reclaimed; absent figures count as zero. */
export const memoryUsage = ({ memory }: Pick<PodFigures, 'memory'>): bigint => BigInt(memory?.workingSetBytes ?? 0);

export const processCount = ({ process_stats: stats }: PodFigures): number => stats?.process_count ?? 0;

const NONE: ReadonlySet<string> = new Set();

const sum = (amounts: readonly (number | undefined)[]): bigint =>
  amounts.reduce((total: bigint, amount) => total + BigInt(amount ?? 0), 0n);

/** `true` for volumes whose content lies on the node's own disk. */
function isLocal(volume: Volume): boolean {
  const { emptyDir } = volume;
  if (emptyDir !== undefined) return isOnDisk(emptyDir);
  return volume['hostPath'] !== undefined || volume['configMap'] !== undefined || volume['gitRepo'] !== undefined;
}

const isOnDisk = (emptyDir: unknown): boolean => {
  // The shape of volumes has been checked.
  const { medium } = (emptyDir ?? {}) as { readonly medium?: string };
  return medium === undefined || medium === '';
};
