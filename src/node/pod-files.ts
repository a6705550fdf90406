import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';

export type PathKind = 'directory' | 'file' | 'socket' | 'character-device' | 'block-device' | 'other';

/**
 * What a pod worker keeps on the host's disk: a few small entries a pod, made in one go. They are written synchronously
 * on purpose: each takes some ten microseconds, a trip to a thread pool and back five times that.
 */
export interface PodFiles {
  makeDirectory(path: string, mode: number): void;
  /** With exactly this mode, whatever the process's file mode mask. */
  writeFile(path: string, text: string, mode: number): void;
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
  /**
   * Removes a cgroup and those below it, in every hierarchy that has it; `path` as the runtime is told it. Says why one could
   * not be removed because something still runs in it; where this process may not touch cgroups they are left alone.
   */
  removeCgroup(path: string): string | undefined;
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

/** The host's own. `cgroupMount` is where its cgroup hierarchies are. */
export function podFilesOn(cgroupMount: string): PodFiles {
  let hierarchies: readonly string[] | undefined;
  return {
    makeDirectory,
    writeFile(path, text, mode) {
      writeFileSync(path, text, { mode });
      // The mask takes write access for others away, which is what some of these files are for.
      if ((mode & 0o022) !== 0) chmodSync(path, mode);
    },
    list: namesIn,
    read(path) {
      try {
        return readFileSync(path, 'utf8');
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
    removeEntry(directory, name) {
      assertEntry(directory, name);
      rmSync(`${directory}/${name}`, { recursive: true, force: true });
    },
    removeCgroup(path) {
      assertEntry(dirname(path), basename(path));
      hierarchies ??= cgroupHierarchies(cgroupMount);
      for (const hierarchy of hierarchies) {
        const directory = `${hierarchy}${path}`;
        if (!existsSync(directory)) continue;
        const problem = removeCgroupTree(directory);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}

export const hostPodFiles: PodFiles = podFilesOn('/sys/fs/cgroup');

/**
 * Whether this names one entry of a directory, and nothing above or beside it. An empty name would be the directory itself,
 * so a path that was put together from something empty must never get as far as being removed.
 */
export function isEntryOf(directory: string, name: string): boolean {
  const [first, ...names] = directory.split('/');
  return first === '' && names.length > 0 && names.every(isEntryName) && isEntryName(name);
}

const isEntryName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');

function assertEntry(directory: string, name: string): void {
  if (!isEntryOf(directory, name)) throw new Error(`refusing to remove ${JSON.stringify([directory, name])}`);
}

function readTail(path: string, bytes: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
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

/** One for cgroup v2; each controller's own for v1. */
const cgroupHierarchies = (mount: string): readonly string[] =>
  existsSync(`${mount}/cgroup.controllers`) ? [mount] : namesIn(mount).map((name) => `${mount}/${name}`);

/** From the leaves to the root: the files in a cgroup are the kernel's and go with their directory. */
function removeCgroupTree(directory: string): string | undefined {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const problem = entry.isDirectory() ? removeCgroupTree(`${directory}/${entry.name}`) : undefined;
      if (problem !== undefined) return problem;
    }
    rmdirSync(directory);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EBUSY' ? `cgroup ${directory} is still in use` : undefined;
  }
}
