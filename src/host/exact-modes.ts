import { chmodSync, constants, mkdirSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextIfPossible } from './read-regular-file.ts';

/**
 * Returns this process's file mode mask. Node's own way of asking sets the mask to zero for an instant, for all threads.
 * `undefined` where the kernel does not report it.
 */
export function fileModeMask(): number | undefined {
  const [, digits] = /^Umask:\t(?<digits>[0-7]{1,4})$/m.exec(readTextIfPossible('/proc/self/status') ?? '') ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/**
 * Makes a directory and its missing parents with exactly this mode, whatever the process's file mode mask. Existing
 * directories keep their mode. For directories that only the operator and this agent can replace. Throws as `node:fs`
 * does.
 */
export function makeDirectories(path: string, mode: number): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first !== undefined) for (const made of downTo(path, first)) chmodSync(made, mode);
}

/** As `makeDirectories`, for a thread that must not block. */
export async function makeDirectoriesLater(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode });
  if (first === undefined) return;
  for (const made of downTo(path, first)) {
    // Where others may write too, a link could have replaced the new directory.
    const directory = await open(made, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      await directory.chmod(mode);
    } finally {
      await directory.close();
    }
  }
}

/** The path and its parents up to `first`, which is one of them; the path comes first. */
function downTo(path: string, first: string): readonly string[] {
  const made: string[] = [];
  for (let each = path; each.length >= first.length; each = dirname(each)) made.push(each);
  return made;
}
