import { errorCode } from '../kube/text/error-code.ts';
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
import { makeDirectories } from './exact-modes.ts';
import { openFlags, readTextIfPossible } from './read-regular-file.ts';
import { SharedTexts } from './shared-texts.ts';

export type PathKind = 'directory' | 'file' | 'socket' | 'character-device' | 'block-device' | 'other';

/**
 * The files of pod workers on the host's disk: a few small entries per pod, written at once. Writes are synchronous on
 * purpose: each takes some ten microseconds, and a trip to a thread pool and back takes five times that.
 */
export interface PodFiles {
  /** Missing directories are made with exactly this mode, whatever the process's file mode mask. */
  makeDirectory(path: string, mode: number): void;
  /** Writes with exactly this mode, whatever the process's file mode mask. */
  writeFile(path: string, text: string, mode: number): void;
  /**
   * Writes a file unless it exists. Returns `true` if it was written. Of several concurrent callers exactly one gets
   * `true`.
   */
  claim(path: string, text: string): boolean;
  /** Returns the names in a directory; empty when there is none. */
  list(directory: string): readonly string[];
  /** Returns the text of a file. `undefined` when it cannot be read. */
  read(path: string): string | undefined;
  /** As `read`, for a file of the node that many pods read: its text is kept until the file changes. */
  readShared(path: string): string | undefined;
  /** Returns at most `bytes` bytes from the end of a file, as text. `undefined` when it cannot be read. */
  readTail(path: string, bytes: number): string | undefined;
  /** Returns the kind of file at the path; links are followed. `undefined` when nothing is there. */
  kindOf(path: string): PathKind | undefined;
  /** Makes a link to a file, if the file exists. Replaces an earlier link. */
  link(target: string, path: string): void;
  /**
   * Removes one entry of a directory with everything below it, if it exists. Throws when the arguments do not name an
   * entry of the directory.
   */
  removeEntry(directory: string, name: string): void;
}

export const hostPodFiles: PodFiles = podFilesUnder(undefined);

/**
 * Returns the files of the host's disk in a process whose file mode mask stays as given: a mode from which it removes
 * nothing needs no `chmod`. Of a pod's start that saves some 4 %. `undefined`: the mask is unknown, or may change.
 */
export function podFilesUnder(mask: number | undefined): PodFiles {
  const isReduced = (mode: number): boolean => mask === undefined || (mode & mask) !== 0;
  const shared = new SharedTexts();
  return {
    makeDirectory: (path, mode) => makeDirectory(path, mode, isReduced(mode)),
    writeFile(path, text, mode) {
      // An existing file keeps its own mode.
      if (!madeFile(path, text, mode)) writeFileSync(path, text);
      else if (!isReduced(mode)) return;
      chmodSync(path, mode);
    },
    readShared: (path) => shared.read(path),
    list: namesIn,
    read: readTextIfPossible,
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
      makeDirectories(dirname(path), 0o755);
      rmSync(path, { force: true });
      symlinkSync(target, path);
    },
    claim: (path, text) => madeFile(path, text, 0o600),
    removeEntry(directory, name) {
      assertEntry(directory, name);
      rmSync(`${directory}/${name}`, { recursive: true, force: true });
    },
  };
}

/**
 * Calls one plain `mkdir` per missing level, from the top down. On a journaling file system that takes half the kernel
 * time of a recursive `mkdir`.
 */
function makeDirectory(path: string, mode: number, isReduced: boolean): void {
  try {
    mkdirSync(path, { mode });
    if (isReduced) chmodSync(path, mode);
  } catch (error) {
    const code = errorCode(error);
    const parent = dirname(path);
    if (code === 'ENOENT' && parent !== path) {
      makeDirectory(parent, mode, isReduced);
      makeDirectory(path, mode, isReduced);
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** Makes a file with this text unless it exists. Returns `true` if it was made. */
function madeFile(path: string, text: string, mode: number): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * `true` if this names one entry of a directory, and nothing above or beside it. An empty name would be the directory
 * itself. A path built from an empty part must never reach the removal.
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
    // A container, or a writer of a volume in its folder, may have put a pipe there.
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
