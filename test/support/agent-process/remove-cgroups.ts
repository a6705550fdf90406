import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const CGROUPS = '/sys/fs/cgroup';
const ATTEMPTS = 20;

/**
 * Removes a cgroup with all its children, in every hierarchy. None may contain a process. A process that just ended may
 * be counted for a moment; a cgroup that stays busy is left, being empty of everything but that.
 */
export async function removeCgroups(path: string): Promise<void> {
  const roots = ['', ...(await directoriesIn(CGROUPS))].map((hierarchy) => join(CGROUPS, hierarchy, path));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const gone = await Promise.all(roots.map((root) => isRemoved(root)));
    if (gone.every(Boolean)) return;
    await delay(50);
  }
}

async function isRemoved(path: string): Promise<boolean> {
  for (const name of await directoriesIn(path)) await isRemoved(join(path, name));
  return rmdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
