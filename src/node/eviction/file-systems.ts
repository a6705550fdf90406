import type { FileSystemSignal, Signal } from './signals.ts';
import { fileSystemOf } from './signals.ts';

/**
 * How a node's files are spread. `single`: all on the file system of the root folder. `image`: images and writable
 * layers on a file system of their own. `split`: images on a file system of their own, writable layers with the root
 * folder (KEP-4191).
 */
export type FileSystems = 'single' | 'image' | 'split';

/** Devices that hold the root folder, the images and the writable layers, as `stat` numbers them. */
export interface Devices {
  readonly root: number | undefined;
  readonly images: number | undefined;
  readonly containers: number | undefined;
}

/** `splitAllowed`: images and writable layers may be on different file systems (gate `KubeletSeparateDiskGC`). */
export function fileSystemsOf({ root, images, containers }: Devices, splitAllowed: boolean): FileSystems {
  if (root === undefined || images === undefined || images === root) return 'single';
  return splitAllowed && containers !== undefined && containers !== images ? 'split' : 'image';
}

/** The parts of a pod's files that count toward its use of a file system. */
export interface Measured {
  readonly rootFs: boolean;
  readonly logs: boolean;
  readonly localVolumes: boolean;
}

const ALL: Measured = { rootFs: true, logs: true, localVolumes: true };
const NODE_ONLY: Measured = { rootFs: false, logs: true, localVolumes: true };
const LAYERS_ONLY: Measured = { rootFs: true, logs: false, localVolumes: false };
const NOTHING: Measured = { rootFs: false, logs: false, localVolumes: false };

const MEASURED: Readonly<Record<FileSystems, Readonly<Record<FileSystemSignal, Measured>>>> = {
  single: { nodefs: ALL, imagefs: ALL, containerfs: ALL },
  image: { nodefs: NODE_ONLY, imagefs: LAYERS_ONLY, containerfs: LAYERS_ONLY },
  split: { nodefs: ALL, imagefs: NOTHING, containerfs: ALL },
};

export const measuredOn = (fileSystem: FileSystemSignal, fileSystems: FileSystems): Measured =>
  MEASURED[fileSystems][fileSystem];

/** A step that frees resources of the node before any pod is evicted. Steps run in this order. */
export type ReclaimStep = 'delete-unused-containers' | 'delete-unused-images';

const BOTH: readonly ReclaimStep[] = ['delete-unused-containers', 'delete-unused-images'];

const RECLAIM: Readonly<Record<FileSystems, Readonly<Record<FileSystemSignal, readonly ReclaimStep[]>>>> = {
  single: { nodefs: BOTH, imagefs: BOTH, containerfs: BOTH },
  image: { nodefs: [], imagefs: BOTH, containerfs: BOTH },
  split: {
    nodefs: ['delete-unused-containers'],
    imagefs: ['delete-unused-images'],
    containerfs: ['delete-unused-containers'],
  },
};

/** Returns the steps for a signal. For memory and process IDs the node has none. */
export function reclaimSteps(signal: Signal, fileSystems: FileSystems): readonly ReclaimStep[] {
  const fileSystem = fileSystemOf(signal);
  return fileSystem === undefined ? [] : RECLAIM[fileSystems][fileSystem];
}
