import { statSync, watch, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Listing } from './protocol.ts';

/** The place static pods come from, as the source needs it. Paths are absolute. */
export interface ManifestFolder {
  readonly list: () => Promise<Listing>;
  /** As `list`, of these names only. */
  readonly look: (names: readonly string[]) => Promise<Listing>;
  /** Calls `changed` with a file name whenever something there changes. Ends with the returned function, or `ended` by itself. */
  readonly watch: (changed: (name: string) => void, ended: (problem: string) => void) => () => void;
}

/** For an agent that is to have no static pods. */
const noFolder: ManifestFolder = {
  list: async () => ({ ok: true, scope: 'everything', files: new Map(), directories: [] }),
  look: async () => ({ ok: true, scope: 'names', files: new Map(), gone: [] }),
  watch: () => () => {},
};

/** A real folder, or a single file; of an empty path nothing. Names that begin with a dot are nobody's business. */
export function manifestFolder(path: string): ManifestFolder {
  if (path === '') return noFolder;
  const list = async (): Promise<Listing> => {
    try {
      const top = await stat(path);
      if (top.isDirectory()) return await listDirectory(path);
      return { ok: true, scope: 'everything', files: new Map([[path, signatureOf(top)]]), directories: [] };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { ok: false, missing: code === 'ENOENT', problem: message };
    }
  };
  return {
    list,
    async look(names) {
      const top = await stat(path).catch(() => undefined);
      // A single file, or a folder that is not there: a look at all of it costs no more.
      if (top?.isDirectory() !== true) return list();
      const files = new Map<string, string>();
      const gone: string[] = [];
      for (const { file, stats } of await found(path, names)) {
        if (stats === undefined || stats.isDirectory()) gone.push(file);
        else files.set(file, signatureOf(stats));
      }
      return { ok: true, scope: 'names', files, gone };
    },
    watch: (changed, ended) => watchPath(path, changed, ended),
  };
}

function watchPath(path: string, changed: (name: string) => void, ended: (problem: string) => void): () => void {
  try {
    const identity = identityOf(path);
    const watcher = watch(path, (event, name) => {
      if (name === null || name.startsWith('.')) return;
      // The folder itself was replaced or removed: the watch holds on to the old one and will never tell anything again.
      if (event === 'rename' && name === basename(path) && identityOf(path) !== identity) return end('it was replaced');
      changed(name);
    });
    const end = (problem: string): void => {
      watcher.close();
      ended(problem);
    };
    watcher.on('error', (error) => end(error.message));
    return () => watcher.close();
  } catch (error) {
    ended(error instanceof Error ? error.message : String(error));
    return () => {};
  }
}

const identityOf = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false });
  // The number alone may be given out again at once.
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
};

async function listDirectory(path: string): Promise<Listing> {
  const files = new Map<string, string>();
  const directories: string[] = [];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  for (const { file, stats } of await found(path, names)) {
    // Gone between the two looks: the next one will not list it.
    if (stats === undefined) continue;
    if (stats.isDirectory()) directories.push(file);
    else files.set(file, signatureOf(stats));
  }
  return { ok: true, scope: 'everything', files, directories };
}

const found = (path: string, names: readonly string[]) =>
  Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      return { file, stats: await stat(file).catch(() => undefined) };
    }),
  );

/** Changes whenever the content may have: editors replace files, or write within the same second. */
const signatureOf = (stats: Stats): string => `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
