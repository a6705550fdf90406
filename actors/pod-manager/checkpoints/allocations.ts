import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import type { AllocatedResources } from '../../../src/pod/sync/pod-resizes.ts';

/** What was decided about pods and must outlive whoever did, kept in each pod's own directory, with which it goes. */
export interface Allocations {
  /** Undefined: the pod was never resized, or what was kept cannot be read. */
  read(uid: PodUid): AllocatedResources | undefined;
  /** Throws when the disk does not take it; what was kept before is then not to be relied on. */
  write(uid: PodUid, allocation: AllocatedResources): void;
  /** Who is to end so that the pod may come; nobody, where nothing is kept that can be read. */
  readVictims(uid: PodUid): readonly PodUid[];
  /** Nobody: it is not kept any more. Throws when the disk does not take it. */
  writeVictims(uid: PodUid, victims: readonly PodUid[]): void;
}

const pathOf = (rootDir: string, uid: PodUid): string => `${podDir(rootDir, uid)}/allocated-resources`;

const VICTIMS = 'preemption';

export function allocationsIn(rootDir: string, files: PodFiles): Allocations {
  const keep = (uid: PodUid, path: string, value: unknown): void => {
    files.makeDirectory(podDir(rootDir, uid), 0o750);
    files.writeFile(path, JSON.stringify(value), 0o600);
  };
  // Cut off by a loss of power, or another's: as if nothing had been kept.
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
      // Written by `write`, below, and by nobody else.
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
