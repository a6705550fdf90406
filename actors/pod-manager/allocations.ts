import type { PodUid } from '../../src/kube/ids.ts';
import type { PodFiles } from '../../src/node/pod-files.ts';
import { podDir } from '../../src/pod/pod-paths.ts';
import type { AllocatedResources } from '../../src/pod/pod-resizes.ts';

/** What resized pods have been given, kept in each pod's own directory, with which it goes. */
export interface Allocations {
  /** Undefined: the pod was never resized, or what was kept cannot be read. */
  read(uid: PodUid): AllocatedResources | undefined;
  write(uid: PodUid, allocation: AllocatedResources): void;
}

const pathOf = (rootDir: string, uid: PodUid): string => `${podDir(rootDir, uid)}/allocated-resources`;

export const allocationsIn = (rootDir: string, files: PodFiles): Allocations => ({
  read(uid) {
    const text = isName(uid) ? files.read(pathOf(rootDir, uid)) : undefined;
    if (text === undefined) return undefined;
    try {
      const { original, allocated } = JSON.parse(text) as Partial<AllocatedResources>;
      return original === undefined || allocated === undefined ? undefined : { original, allocated };
    } catch {
      // Cut off by a loss of power: the pod counts as given what the API says it was.
      return undefined;
    }
  },
  write(uid, allocation) {
    if (!isName(uid)) return;
    files.makeDirectory(podDir(rootDir, uid), 0o750);
    files.writeFile(pathOf(rootDir, uid), JSON.stringify(allocation), 0o600);
  },
});

const isName = (uid: string): boolean => uid !== '' && uid !== '.' && uid !== '..' && !uid.includes('/');
