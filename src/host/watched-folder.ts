import { watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readText } from './read-regular-file.ts';

/** A folder of small files that is looked at again and again. */
export interface WatchedFolder {
  /** By name: a text that is another whenever the file may be. Rejects when the folder cannot be read. */
  list(): Promise<ReadonlyMap<string, string>>;
  read(name: string): Promise<string>;
  /** Calls whenever something there may have changed, where the system can tell. The returned function ends it. */
  watch(changed: () => void): () => void;
}

/** Files of YAML or JSON in a folder on disk. Names that begin with a dot are nobody's business. */
export function watchedFolder(path: string): WatchedFolder {
  return {
    async list() {
      const files = new Map<string, string>();
      const names = (await readdir(path)).filter((name) => /^[^.].*\.(ya?ml|json)$/.test(name)).toSorted();
      for (const name of names) {
        const stats = await stat(join(path, name)).catch(() => undefined);
        // Gone between the two looks, or a link to nothing: as if it were not there.
        if (stats?.isFile() === true) files.set(name, `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`);
      }
      return files;
    },
    read: (name) => readText(join(path, name)),
    watch(changed) {
      try {
        const watcher = watch(path, changed);
        // Looking every now and then finds out the same, only later.
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}
