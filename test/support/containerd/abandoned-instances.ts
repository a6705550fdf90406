import { readFileSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { containerdLayout } from './containerd-config.ts';
import { removeByForce } from './leftovers.ts';

/** Instances made without a directory of the caller's choice lie in directories of this name. */
export const INSTANCE_PREFIX = 'hvl-';

const OWNER_FILE = 'owner.json';

/** The process that started an instance. A process id comes round again; with its start time it does not. */
interface Owner {
  readonly pid: number;
  readonly startedAtTick: string;
  readonly bridge: string;
}

/** Notes in the instance's directory who is responsible for it. */
export async function signOwnership(dir: string, bridge: string): Promise<void> {
  const owner: Owner = { pid: process.pid, startedAtTick: startTick(process.pid) ?? '', bridge };
  await writeFile(join(dir, OWNER_FILE), JSON.stringify(owner));
}

/** Removes instances under `parentDir` whose tests died without stopping them. Those of living tests are left alone. */
export async function removeAbandonedInstances(parentDir: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(parentDir)) {
    if (!name.startsWith(INSTANCE_PREFIX)) continue;
    const dir = join(parentDir, name);
    const owner = await readOwner(dir);
    if (owner === undefined || startTick(owner.pid) === owner.startedAtTick) continue;
    await removeByForce(containerdLayout(dir, owner.bridge));
    removed.push(dir);
  }
  return removed;
}

async function readOwner(dir: string): Promise<Owner | undefined> {
  try {
    // Written by signOwnership alone, into a directory only root can enter.
    return JSON.parse(await readFile(join(dir, OWNER_FILE), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/** Field 22 of /proc/<pid>/stat; the program name before it may hold spaces and brackets. */
function startTick(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19);
  } catch {
    return undefined;
  }
}
