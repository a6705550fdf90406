import type { FileSystemFigures } from './stats-host.ts';

/** What a pod's files take up. */
export interface PodDisk {
  readonly uid: string;
  readonly volumes: readonly WalkedVolume[];
  /** By the names of their PersistentVolumes: the file systems that local volumes are on. */
  readonly localVolumes?: Readonly<Record<string, FileSystemFigures>>;
  /** Of drivers of storage and of PersistentVolumes; none: there are none, or nobody can measure them. */
  readonly driverVolumes?: readonly MeasuredDriverVolume[];
  /** By container. */
  readonly logs: Readonly<Record<string, Walked>>;
  /** What lies in the log folder beside those. */
  readonly otherLogs: Walked;
  /** What the agent itself keeps for the pod. */
  readonly ownFiles: Walked;
}

export interface WalkedVolume extends Walked {
  readonly name: string;
  /** Whether it counts as the pod's own storage on the node: an emptyDir on a disk, or a ConfigMap. */
  readonly local: boolean;
  readonly fileSystem: FileSystemFigures | undefined;
}

/** As `du` counts: what is on disk and not what a file would hold without its holes; each file once; one file system. */
export interface Walked {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** What a driver says of a volume. Units it says nothing of are left out. */
export interface DriverFigures {
  readonly figures: Partial<FileSystemFigures>;
  /** Where the driver watches over the condition of its volumes. */
  readonly isAbnormal?: boolean;
  /** In its driver's words. */
  readonly condition?: string;
}

export interface MeasuredDriverVolume extends DriverFigures {
  readonly name: string;
  readonly claim?: ClaimRef;
}

export interface ClaimRef {
  readonly name: string;
  readonly namespace: string;
}
