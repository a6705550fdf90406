import type { FileSystemFigures } from './stats-host.ts';

/** Disk usage of a pod's files. */
export interface PodDisk {
  readonly uid: string;
  readonly volumes: readonly WalkedVolume[];
  /** The file systems of local volumes, by PersistentVolume name. */
  readonly localVolumes?: Readonly<Record<string, FileSystemFigures>>;
  /** Volumes of storage drivers and PersistentVolumes. Absent when there are none, or they cannot be measured. */
  readonly driverVolumes?: readonly MeasuredDriverVolume[];
  /** By container name. */
  readonly logs: Readonly<Record<string, Walked>>;
  /** Other files in the log folder. */
  readonly otherLogs: Walked;
  /** The agent's own files for the pod. */
  readonly ownFiles: Walked;
}

export interface WalkedVolume extends Walked {
  readonly name: string;
  /** `true` if the volume counts as the pod's local storage: an emptyDir on a disk, or a ConfigMap. */
  readonly local: boolean;
  readonly fileSystem: FileSystemFigures | undefined;
}

/** Counted as `du` does: allocated blocks, each file once, within one file system. */
export interface Walked {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** A driver's figures of a volume. Units that the driver does not report are absent. */
export interface DriverFigures {
  readonly figures: Partial<FileSystemFigures>;
  /** Absent when the driver does not monitor the condition of its volumes. */
  readonly isAbnormal?: boolean;
  /** The driver's description of the condition. */
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
