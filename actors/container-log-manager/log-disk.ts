import { createWriteStream, lstatSync, statSync } from 'node:fs';
import { chmod, link, readdir, rename, rm, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isEntryOf } from '../../src/host/pod-files.ts';
import { openRegularFile } from '../../src/host/read-regular-file.ts';

/** The file operations of log rotation. Every name is an entry of its directory. */
export interface LogDisk {
  /** `undefined` when there is no such file. Must be fast: the manager calls it for every running container. */
  sizeOf(path: string): number | undefined;
  list(directory: string): Promise<readonly string[]>;
  remove(directory: string, name: string): Promise<void>;
  /**
   * Renames in one step. Returns `false` and does nothing if the new name is taken. Rejects with ENOENT if the file is
   * missing.
   */
  rename(directory: string, from: string, to: string): Promise<boolean>;
  /** Undoes a rename, but never replaces a file created meanwhile: then returns `false`. */
  restore(directory: string, from: string, to: string): Promise<boolean>;
  /**
   * `<name>` becomes `<name>.gz`. An interrupted compression leaves the original, and perhaps a `.tmp`. Rejects when
   * `<name>` is not a regular file, or when the `.tmp` exists: neither a pipe nor a device is ever opened.
   */
  compress(directory: string, name: string): Promise<void>;
}

/**
 * The real files. `life` makes the names of temporary files distinct, so that two incarnations never write to the same
 * file.
 */
export function hostLogDisk(life: number): LogDisk {
  const at = (directory: string, name: string): string => {
    if (!isEntryOf(directory, name)) throw new Error(`refusing to touch ${JSON.stringify([directory, name])}`);
    return `${directory}/${name}`;
  };
  return {
    sizeOf(path) {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true ? found.size : undefined;
    },
    list: (directory) => readdir(directory),
    remove: (directory, name) => rm(at(directory, name), { force: true }),
    async rename(directory, from, to) {
      const [old, wanted] = [at(directory, from), at(directory, to)];
      if (lstatSync(wanted, { throwIfNoEntry: false }) !== undefined) return false;
      await rename(old, wanted);
      return true;
    },
    async restore(directory, from, to) {
      const [old, wanted] = [at(directory, from), at(directory, to)];
      try {
        await link(old, wanted);
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        // A file system without hard links has no better way.
        await rename(old, wanted);
        return true;
      }
      await unlink(old);
      return true;
    },
    async compress(directory, name) {
      const original = at(directory, name);
      const temporary = at(directory, `${name}.${life}.tmp`);
      const file = await openRegularFile(original);
      try {
        const { mode } = await file.stat();
        await pipeline(
          file.createReadStream({ autoClose: false }),
          createGzip(),
          createWriteStream(temporary, { flags: 'wx', mode: mode & 0o777, flush: true }),
        );
        await chmod(temporary, mode & 0o777);
      } finally {
        await file.close();
      }
      await rename(temporary, `${original}.gz`);
      await rm(original, { force: true });
    },
  };
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
