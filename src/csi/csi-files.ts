import { mkdirSync, readdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { readTextSync } from '../host/read-regular-file.ts';

/** What is kept on disk of volumes that drivers mount. Nothing is ever removed but single files and empty directories. */
export interface CsiFiles {
  makeDirectory(path: string): void;
  /** In one piece: whoever reads sees the whole text or the one before. */
  write(path: string, text: string): void;
  read(path: string): string | undefined;
  /** A link to `target`, whether that is there or not; also if it is there already. */
  link(path: string, target: string): void;
  /** Where a link leads; undefined when there is none. */
  readLink(path: string): string | undefined;
  list(directory: string): readonly string[];
  /** If it is there. Throws if it cannot be removed. */
  removeFile(path: string): void;
  /** If it is there. Throws if it is not empty, or if something is mounted on it. */
  removeEmpty(directory: string): void;
  /** If it is there and empty. */
  removeIfEmpty(directory: string): void;
}

const ifThere = (remove: () => void): void => {
  try {
    remove();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
};

const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o600;

export const hostCsiFiles: CsiFiles = {
  makeDirectory: (path) => void mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE }),
  // Small, and read back by whoever checks that it is whole.
  write: (path, text) => writeFileSync(path, text, { mode: FILE_MODE, flush: true }),
  read(path) {
    try {
      return readTextSync(path);
    } catch {
      return undefined;
    }
  },
  link(path, target) {
    const there = hostCsiFiles.readLink(path);
    if (there === target) return;
    if (there !== undefined) unlinkSync(path);
    symlinkSync(target, path);
  },
  readLink(path) {
    try {
      return readlinkSync(path);
    } catch {
      return undefined;
    }
  },
  list(directory) {
    try {
      return readdirSync(directory);
    } catch {
      return [];
    }
  },
  removeFile: (path) => ifThere(() => unlinkSync(path)),
  removeEmpty: (directory) => ifThere(() => rmdirSync(directory)),
  removeIfEmpty(directory) {
    if (hostCsiFiles.list(directory).length === 0) hostCsiFiles.removeEmpty(directory);
  },
};
