import { opendirSync, readlinkSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { hostReader } from '../host/host-reader.ts';
import type { DescriptorsOf, OpenDescriptors } from './process-details.ts';
import type { FsStats } from './summary.ts';

/** The collector's view of its machine. A value that cannot be read is `undefined`, or an empty list. */
export interface StatsHost {
  /** Reads a kernel file: small, and in memory. */
  read(path: string): string | undefined;
  list(directory: string): readonly string[];
  /** The file system of a path. */
  fileSystem(path: string): Promise<FileSystemFigures | undefined>;
  /** The device of a path, as `stat` numbers it. */
  device(path: string): number | undefined;
  readonly descriptors: DescriptorsOf;
}

export type FileSystemFigures = Required<Omit<FsStats, 'time'>>;

export const realHost: StatsHost = {
  read: (path) => hostReader.read(path),
  list: (directory) => hostReader.list(directory),
  // Asynchronous, unlike the others: a disk may block.
  fileSystem: (path) =>
    statfs(path).then(
      ({ bsize, blocks, bfree, bavail, files, ffree }) => ({
        availableBytes: bavail * bsize,
        capacityBytes: blocks * bsize,
        usedBytes: (blocks - bfree) * bsize,
        inodesFree: ffree,
        inodes: files,
        inodesUsed: files - ffree,
      }),
      () => undefined,
    ),
  device(path) {
    try {
      return statSync(path).dev;
    } catch {
      return undefined;
    }
  },
  descriptors(pid, atMost) {
    try {
      return countDescriptors(`/proc/${pid}/fd`, atMost);
    } catch {
      return undefined;
    }
  },
};

function countDescriptors(folder: string, atMost: number): OpenDescriptors | 'more' {
  // Entry by entry: listing a million entries at once would take a second.
  const entries = opendirSync(folder);
  try {
    let [all, sockets] = [0, 0];
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      all += 1;
      if (all > atMost) return 'more';
      if (isSocket(`${folder}/${entry.name}`)) sockets += 1;
    }
    return { all, sockets };
  } finally {
    entries.closeSync();
  }
}

/** A descriptor that was closed meanwhile is not a socket. */
function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    return false;
  }
}
