import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { put } from '../kube/text/own.ts';
import { CSI_PLUGIN, LOCAL_PLUGIN } from './driver-volumes.ts';
import type { PodDisk, Walked, WalkedVolume } from './pod-disk.ts';
import type { FileSystemFigures } from './stats-host.ts';

/** A pod's folders on this host. */
export interface PodFolders {
  readonly uid: string;
  /** `<root>/pods/<uid>`. */
  readonly podDir: string;
  /** `/var/log/pods/<namespace>_<name>_<uid>`. */
  readonly logDir: string;
}

/** Plugins whose volumes are not walked: drivers report figures of their own, and local volumes are file systems. */
const NOT_WALKED: ReadonlySet<string> = new Set([CSI_PLUGIN, LOCAL_PLUGIN]);

/** A pod's walk ends after this many entries. The figures are then a lower bound. */
const MOST_ENTRIES = 1_000_000;
const BLOCK_BYTES = 512;
const NOTHING: Walked = { usedBytes: 0, inodesUsed: 0 };

/** The budget of one walk, shared by the folders of a pod. */
interface Budget {
  left: number;
}

/** Walks all files of a pod on disks of this host. Folders that vanish meanwhile count as empty. */
export function walkPod({ uid, podDir, logDir }: PodFolders): PodDisk {
  const budget: Budget = { left: MOST_ENTRIES };
  const logs: Record<string, Walked> = {};
  let otherLogs = NOTHING;
  for (const name of namesIn(logDir)) {
    const path = `${logDir}/${name}`;
    const walked = walk(path, budget);
    if (lstat(path)?.isDirectory() === true) put(logs, name, walked);
    else otherLogs = add(otherLogs, walked);
  }
  const podDevice = lstat(podDir)?.dev;
  const plugins = namesIn(`${podDir}/volumes`).filter((plugin) => !NOT_WALKED.has(plugin));
  const volumes = plugins.flatMap((plugin) =>
    namesIn(`${podDir}/volumes/${plugin}`).map((name): WalkedVolume => {
      const path = `${podDir}/volumes/${plugin}/${name}`;
      const isOnDisk = lstat(path)?.dev === podDevice;
      const isLocal = plugin === 'kubernetes.io~configmap' || (plugin === 'kubernetes.io~empty-dir' && isOnDisk);
      return { name, local: isLocal, fileSystem: fileSystemOf(path), ...walk(path, budget) };
    }),
  );
  const localVolumes: Record<string, FileSystemFigures> = {};
  for (const name of namesIn(`${podDir}/volumes/${LOCAL_PLUGIN}`)) {
    const figures = fileSystemOf(`${podDir}/volumes/${LOCAL_PLUGIN}/${name}`);
    if (figures !== undefined) put(localVolumes, name, figures);
  }
  const ownFiles = walk(`${podDir}/etc-hosts`, budget);
  return { uid, volumes, localVolumes, logs, otherLogs, ownFiles };
}

/** One folder or file, with everything below it. */
export function walk(root: string, budget: Budget = { left: MOST_ENTRIES }): Walked {
  const top = lstat(root);
  if (top === undefined) return NOTHING;
  let usedBytes = 0;
  let inodesUsed = 0;
  /** Files with several names seen so far: each counts once. */
  const linked = new Set<number>();
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined && budget.left > 0; path = waiting.pop()) {
    budget.left -= 1;
    const stats = path === root ? top : lstat(path);
    if (stats === undefined || stats.dev !== top.dev) continue;
    if (stats.nlink > 1 && !stats.isDirectory()) {
      if (linked.has(stats.ino)) continue;
      linked.add(stats.ino);
    }
    usedBytes += stats.blocks * BLOCK_BYTES;
    inodesUsed += 1;
    if (stats.isDirectory()) for (const name of namesIn(path)) waiting.push(`${path}/${name}`);
  }
  return { usedBytes, inodesUsed };
}

export const add = (a: Walked, b: Walked): Walked => ({
  usedBytes: a.usedBytes + b.usedBytes,
  inodesUsed: a.inodesUsed + b.inodesUsed,
});

const lstat = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function fileSystemOf(path: string): FileSystemFigures | undefined {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(path);
    return {
      availableBytes: bavail * bsize,
      capacityBytes: blocks * bsize,
      usedBytes: (blocks - bfree) * bsize,
      inodesFree: ffree,
      inodes: files,
      inodesUsed: files - ffree,
    };
  } catch {
    return undefined;
  }
}
