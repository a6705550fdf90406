import { createReadStream, createWriteStream, lstatSync, statSync } from 'node:fs';
import { link, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isEntryOf } from '../../src/host/pod-files.ts';

/** The files that logs are rotated in. Every name is that of one entry of its directory. */
export interface LogDisk {
  /** Undefined: there is no such file. In no time: it is asked of every running container. */
  sizeOf(path: string): number | undefined;
  list(directory: string): Promise<readonly string[]>;
  remove(directory: string, name: string): Promise<void>;
  /** In one step. False, and nothing has happened, if the new name is taken. Rejects with ENOENT if there is no such file. */
  rename(directory: string, from: string, to: string): Promise<boolean>;
  /** The way back: never in the place of a file that has come meanwhile. False: there is one. */
  restore(directory: string, from: string, to: string): Promise<boolean>;
  /** `<name>` becomes `<name>.gz`. Whoever is cut off leaves the original, and perhaps a `.tmp`. */
  compress(directory: string, name: string): Promise<void>;
}

/** The real files. `life`: whose temporary files they are, lest two lives write to one. */
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
        // A file system without links has no better way.
        await rename(old, wanted);
        return true;
      }
      await unlink(old);
      return true;
    },
    async compress(directory, name) {
      const original = at(directory, name);
      const temporary = at(directory, `${name}.${life}.tmp`);
      const { mode } = await stat(original);
      await pipeline(
        createReadStream(original),
        createGzip(),
        createWriteStream(temporary, { mode: mode & 0o777, flush: true }),
      );
      await rename(temporary, `${original}.gz`);
      await rm(original, { force: true });
    },
  };
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
