import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const CGROUP_ROOT = '/sys/fs/cgroup';

/**
 * Removes the cgroup at this path in every hierarchy there is, with the empty ones below it; nothing happens where it is
 * not there. Runtimes make the cgroup of a pod along with those of its containers and leave it when those go. Throws if
 * something still runs in it.
 */
export function removeCgroup(path: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, path));
}

/** Cgroup v2 has one hierarchy; v1 has one for each controller or group of controllers. */
const hierarchies = (): readonly string[] =>
  existsSync(`${CGROUP_ROOT}/cgroup.controllers`)
    ? [CGROUP_ROOT]
    : directoriesIn(CGROUP_ROOT).map((name) => join(CGROUP_ROOT, name));

function removeTree(directory: string): void {
  // The files of a cgroup are the kernel's: the directory goes with them, and only if no cgroup is below it.
  if (isRemoved(directory)) return;
  for (const name of directoriesIn(directory)) removeTree(join(directory, name));
  rmdirSync(directory);
}

/** False: it is still in use, by processes or by cgroups below it. */
function isRemoved(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return true;
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return false;
    throw error;
  }
}

function directoriesIn(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
