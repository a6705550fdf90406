/**
 * The kubelet's Summary API (`/stats/summary`, stats/v1alpha1), under its own names. What is not known is absent. Bytes,
 * nanoseconds and counts are plain numbers: processor time of a large node loses a few nanoseconds beyond 2^53 of them.
 * Times are RFC 3339.
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
  /** Writable layers, logs and local volumes together. Absent until the pod's folders have been walked for the first time. */
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
  /** The writable layer, and the file system that it is on. */
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
  readonly swap?: SwapStats;
}

export interface CpuStats {
  readonly time: string;
  /** Over the time since the sample before. */
  readonly usageNanoCores?: number;
  /** Since it was created. */
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: PsiStats;
}

export interface MemoryStats {
  readonly time: string;
  /** Of a container: only where it has a limit. */
  readonly availableBytes?: number;
  /** All of it, caches too. */
  readonly usageBytes?: number;
  /** What cannot be taken back: usage less the pages of files that lie idle. */
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
  /** Of a folder: what its files take up, holes aside, each once however many names it has. */
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  /** Where its driver watches over it. */
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
  /** What images take of their file system. */
  readonly imageFs?: FsStats;
  /** What writable layers take of theirs. */
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
