import { watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readText } from './read-regular-file.ts';

/** A folder of small files that is read repeatedly. */
export interface WatchedFolder {
  /**
   * Returns a text for each file name. The text changes whenever the file may have changed. Rejects when the folder
   * cannot be read.
   */
  list(): Promise<ReadonlyMap<string, string>>;
  read(name: string): Promise<string>;
  /**
   * Calls `changed` whenever something there may have changed, if the system can tell. The returned function ends the
   * watch.
   */
  watch(changed: () => void): () => void;
}

/** Watches the YAML and JSON files of a folder on disk. Names that begin with a dot are ignored. */
export function watchedFolder(path: string): WatchedFolder {
  return {
    async list() {
      const files = new Map<string, string>();
      const names = (await readdir(path)).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name)).toSorted();
      for (const name of names) {
        const stats = await stat(join(path, name)).catch(() => undefined);
        // A file that disappeared meanwhile, or a link to nothing, is treated as missing.
        if (stats?.isFile() === true) files.set(name, `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`);
      }
      return files;
    },
    read: (name) => readText(join(path, name)),
    watch(changed) {
      try {
        const watcher = watch(path, changed);
        // Regular polling finds the same changes, only later.
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}
