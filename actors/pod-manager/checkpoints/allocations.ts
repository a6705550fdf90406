import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import type { AllocatedResources } from '../../../src/pod/sync/pod-resizes.ts';

/**
 * Decisions about pods that must outlive the pod manager. They are stored in each pod's own directory and removed with
 * it.
 */
export interface Allocations {
  /** `undefined` when the pod was never resized, or its file is unreadable. */
  read(uid: PodUid): AllocatedResources | undefined;
  /** Throws when the disk rejects the write. The earlier file is then unreliable. */
  write(uid: PodUid, allocation: AllocatedResources): void;
  /** Returns the victims chosen for the pod. Empty when no readable file exists. */
  readVictims(uid: PodUid): readonly PodUid[];
  /** An empty list removes the file. Throws when the disk rejects the write. */
  writeVictims(uid: PodUid, victims: readonly PodUid[]): void;
}

const pathOf = (rootDir: string, uid: PodUid): string => `${podDir(rootDir, uid)}/allocated-resources`;

const VICTIMS = 'preemption';

export function allocationsIn(rootDir: string, files: PodFiles): Allocations {
  const keep = (uid: PodUid, path: string, value: unknown): void => {
    files.makeDirectory(podDir(rootDir, uid), 0o750);
    files.writeFile(path, JSON.stringify(value), 0o600);
  };
  // A file that was cut off by a power loss, or comes from another program, counts as absent.
  const kept = (path: string): unknown => {
    try {
      return JSON.parse(files.read(path) ?? 'null');
    } catch {
      return undefined;
    }
  };
  return {
    read(uid) {
      const found = isName(uid) ? kept(pathOf(rootDir, uid)) : undefined;
      if (!isRecord(found)) return undefined;
      const { original, allocated } = found;
      if (!isRecord(original) || !isRecord(allocated)) return undefined;
      // Only `write`, below, writes this file.
      return { original, allocated } as AllocatedResources;
    },
    write(uid, allocation) {
      if (isName(uid)) keep(uid, pathOf(rootDir, uid), allocation);
    },
    readVictims(uid) {
      const found = isName(uid) ? kept(`${podDir(rootDir, uid)}/${VICTIMS}`) : undefined;
      return Array.isArray(found) ? found.filter((each) => typeof each === 'string').map(podUid) : [];
    },
    writeVictims(uid, victims) {
      if (!isName(uid)) return;
      if (victims.length > 0) keep(uid, `${podDir(rootDir, uid)}/${VICTIMS}`, victims);
      else files.removeEntry(podDir(rootDir, uid), VICTIMS);
    },
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isName = (uid: string): boolean => uid !== '' && uid !== '.' && uid !== '..' && !uid.includes('/');
