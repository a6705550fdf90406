/**
 * The kubelet's Summary API (`/stats/summary`, stats/v1alpha1), under its own names. Unknown values are absent, except
 * where a kubelet shows zero (pressure, page faults of system containers).
 * Bytes, nanoseconds and counts are plain numbers: processor time of a large node loses a few nanoseconds beyond
 * 2^53. Times are RFC 3339.
 */
export interface Summary {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

export interface NodeStats {
  readonly nodeName: string;
  /** `kubelet`, `runtime`, `pods`: what the node runs beside or around its pods. */
  readonly systemContainers?: readonly ContainerStats[];
  readonly startTime: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly network?: NetworkStats;
  /** The file system that holds the agent's root folder. */
  readonly fs?: FsStats;
  readonly runtime?: RuntimeStats;
  readonly rlimit?: RlimitStats;
  readonly swap?: SwapStats;
}

export interface PodStats {
  readonly podRef: PodReference;
  readonly startTime: string;
  readonly containers: readonly ContainerStats[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  /** Writable layers, logs and local volumes together. Absent until the first walk over the pod's folders. */
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: ProcessStats;
  readonly swap?: SwapStats;
}

export interface PodReference {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export interface ContainerStats {
  readonly name: string;
  readonly startTime: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  /** The writable layer, and its file system. */
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
  readonly swap?: SwapStats;
}

export interface CpuStats {
  readonly time: string;
  /** Rate since the previous sample. */
  readonly usageNanoCores?: number;
  /** Total since creation. */
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: PsiStats;
}

export interface MemoryStats {
  readonly time: string;
  /** For a container, only with a limit. */
  readonly availableBytes?: number;
  /** All memory, caches included. */
  readonly usageBytes?: number;
  /** Memory that cannot be reclaimed: usage without inactive file pages. */
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  readonly psi?: PsiStats;
}

export interface SwapStats {
  readonly time: string;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

export interface IoStats {
  readonly time: string;
  readonly psi?: PsiStats;
}

/** Pressure stall information of the kernel: shares in percent, the total in nanoseconds. */
export interface PsiStats {
  readonly full: PsiData;
  readonly some: PsiData;
}

export interface PsiData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface FsStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  /** For a folder: the disk usage of its files without holes. A file with several names counts once. */
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  /** Present when the driver monitors the volume. */
  readonly volumeHealthStats?: { readonly abnormal: boolean };
}

export interface NetworkStats extends Partial<InterfaceStats> {
  readonly time: string;
  readonly interfaces?: readonly InterfaceStats[];
}

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

export interface RuntimeStats {
  /** Usage of images on their file system. */
  readonly imageFs?: FsStats;
  /** Usage of writable layers on their file system. */
  readonly containerFs?: FsStats;
}

export interface RlimitStats {
  readonly time: string;
  readonly maxpid?: number;
  readonly curproc?: number;
}

export interface ProcessStats {
  readonly process_count?: number;
}
