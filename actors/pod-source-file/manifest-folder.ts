import { watch, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Listing } from './protocol.ts';

/** The place static pods come from, as the source needs it. Paths are absolute. */
export interface ManifestFolder {
  list(): Promise<Listing>;
  /** Calls `changed` with a file name whenever something there changes. Ends with the returned function, or `ended` by itself. */
  watch(changed: (name: string) => void, ended: (problem: string) => void): () => void;
}

/** A real folder, or a single file. Names that begin with a dot are nobody's business. */
export function manifestFolder(path: string): ManifestFolder {
  return {
    async list() {
      try {
        const top = await stat(path);
        if (!top.isDirectory()) return { ok: true, files: new Map([[path, signatureOf(top)]]), directories: [] };
        return await listDirectory(path);
      } catch (error) {
        return { ok: false, problem: error instanceof Error ? error.message : String(error) };
      }
    },
    watch(changed, ended) {
      try {
        const watcher = watch(path, (_event, name) => {
          if (name !== null && !name.startsWith('.')) changed(name);
        });
        watcher.on('error', (error) => ended(error.message));
        return () => watcher.close();
      } catch (error) {
        ended(error instanceof Error ? error.message : String(error));
        return () => {};
      }
    },
  };
}

async function listDirectory(path: string): Promise<Listing> {
  const files = new Map<string, string>();
  const directories: string[] = [];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      // Gone between the two looks: the next one will not list it.
      const stats = await stat(file).catch(() => undefined);
      return { file, stats };
    }),
  );
  for (const { file, stats } of found) {
    if (stats === undefined) continue;
    if (stats.isDirectory()) directories.push(file);
    else files.set(file, signatureOf(stats));
  }
  return { ok: true, files, directories };
}

/** Changes whenever the content may have: editors replace files, or write within the same second. */
const signatureOf = (stats: Stats): string => `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
