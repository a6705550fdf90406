import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isEntryName } from '../kube/validation/entry-name.ts';
import { openFlags, readTextSync } from './read-regular-file.ts';

export type PathKind = 'directory' | 'file' | 'socket' | 'character-device' | 'block-device' | 'other';

/**
 * What a pod worker keeps on the host's disk: a few small entries a pod, made in one go. They are written synchronously
 * on purpose: each takes some ten microseconds, a trip to a thread pool and back five times that.
 */
export interface PodFiles {
  makeDirectory(path: string, mode: number): void;
  /** With exactly this mode, whatever the process's file mode mask. */
  writeFile(path: string, text: string, mode: number): void;
  /** Writes a file unless there is one; whether it did. Of several who try at once, one does. */
  claim(path: string, text: string): boolean;
  /** Names in a directory; none when it is not there. */
  list(directory: string): readonly string[];
  /** The text of a file; undefined when it cannot be read. */
  read(path: string): string | undefined;
  /** At most so many bytes from the end of a file, as text; undefined when it cannot be read. */
  readTail(path: string, bytes: number): string | undefined;
  /** What is there, links followed; undefined when nothing is. */
  kindOf(path: string): PathKind | undefined;
  /** A link to a file, if that is there. Replaces an earlier one. */
  link(target: string, path: string): void;
  /** Removes one entry of a directory with everything below it, if it is there. Throws unless that is what it names. */
  removeEntry(directory: string, name: string): void;
}

/**
 * One plain `mkdir` a missing level, from the top down: on a journaling file system that takes half the kernel's time of a
 * recursive one.
 */
function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === 'ENOENT' && parent !== path) {
      makeDirectory(parent, mode);
      makeDirectory(path, mode);
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

export const hostPodFiles: PodFiles = {
  makeDirectory,
  writeFile(path, text, mode) {
    writeFileSync(path, text, { mode });
    // The mask takes write access for others away, which is what some of these files are for.
    if ((mode & 0o022) !== 0) chmodSync(path, mode);
  },
  list: namesIn,
  read(path) {
    try {
      return readTextSync(path);
    } catch {
      return undefined;
    }
  },
  readTail,
  kindOf(path) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isDirectory()) return 'directory';
    if (stats.isFile()) return 'file';
    if (stats.isSocket()) return 'socket';
    if (stats.isCharacterDevice()) return 'character-device';
    return stats.isBlockDevice() ? 'block-device' : 'other';
  },
  link(target, path) {
    if (!existsSync(target)) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    rmSync(path, { force: true });
    symlinkSync(target, path);
  },
  claim(path, text) {
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  },
  removeEntry(directory, name) {
    assertEntry(directory, name);
    rmSync(`${directory}/${name}`, { recursive: true, force: true });
  },
};

/**
 * Whether this names one entry of a directory, and nothing above or beside it. An empty name would be the directory itself,
 * so a path that was put together from something empty must never get as far as being removed.
 */
export function isEntryOf(directory: string, name: string): boolean {
  const [first, ...names] = directory.split('/');
  return first === '' && names.length > 0 && names.every(isEntryName) && isEntryName(name);
}

function assertEntry(directory: string, name: string): void {
  if (!isEntryOf(directory, name)) throw new Error(`refusing to remove ${JSON.stringify([directory, name])}`);
}

function readTail(path: string, bytes: number): string | undefined {
  let file: number | undefined;
  try {
    // A container, or who has a volume of its folder, may have put a pipe there.
    file = openSync(path, openFlags());
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const { size } = stats;
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return new TextDecoder().decode(buffer.subarray(0, read));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
