import { errorCode } from '../kube/text/error-code.ts';
import { readdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { makeDirectories } from '../host/exact-modes.ts';
import { readTextSync } from '../host/read-regular-file.ts';

/** Files about volumes that drivers mount. Only single files and empty directories are ever removed. */
export interface CsiFiles {
  makeDirectory(path: string): void;
  /** Writes in one piece: a reader sees the whole new text or the whole old one. */
  write(path: string, text: string): void;
  read(path: string): string | undefined;
  /** Links to `target`, whether or not it exists. An existing link is replaced. */
  link(path: string, target: string): void;
  /** Returns a link's target; `undefined` when there is no link. */
  readLink(path: string): string | undefined;
  list(directory: string): readonly string[];
  /** Does nothing when the file is missing. Throws when it cannot be removed. */
  removeFile(path: string): void;
  /** Does nothing when the directory is missing. Throws when it is not empty, or when something is mounted on it. */
  removeEmpty(directory: string): void;
  /** Removes the directory if it exists and is empty. */
  removeIfEmpty(directory: string): void;
}

const ifThere = (remove: () => void): void => {
  try {
    remove();
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
};

const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o600;

export const hostCsiFiles: CsiFiles = {
  makeDirectory: (path) => makeDirectories(path, DIRECTORY_MODE),
  // The text is small, and its readers check that it is whole.
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
