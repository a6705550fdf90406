import { errorCode } from '../../src/kube/text/error-code.ts';
import { statSync, watch, type Stats } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { otherThanFile } from '../../src/host/read-regular-file.ts';
import type { Listing } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/** Access to the folder of static pods, as the source needs it. Paths are absolute. */
export interface ManifestFolder {
  readonly list: () => Promise<Listing>;
  /** Like `list`, for these names only. */
  readonly look: (names: readonly string[]) => Promise<Listing>;
  /**
   * Calls `changed` with a file name whenever an entry changes. The returned function ends the watch; `ended` is called
   * when the watch ends by itself. Changes that a listing shows are reported before the listing resolves.
   */
  readonly watch: (changed: NameChanged, ended: (problem: string) => void) => () => void;
}

/** `entry`: the name was given to a file or taken from one. `content`: the file under the name was written. */
type NameChanged = (name: string, what: 'entry' | 'content') => void;

/** For an agent without static pods. */
const noFolder: ManifestFolder = {
  list: async () => ({ ok: true, scope: 'everything', files: new Map(), leftOut: new Map(), tooMany: 0 }),
  look: async () => ({ ok: true, scope: 'names', files: new Map(), gone: [], leftOut: new Map() }),
  watch: () => () => {},
};

/** Most files of one folder: more than any node has pods, and few enough to check one by one. */
const MOST_FILES = 50_000;

/** Reads a folder or a single file; an empty path has no files. Names that begin with a dot are ignored. */
export function manifestFolder(path: string, mostFiles = MOST_FILES): ManifestFolder {
  if (path === '') return noFolder;
  const list = async (): Promise<Listing> => {
    try {
      const top = await stat(path);
      const names = top.isDirectory() ? await namesIn(path, mostFiles) : undefined;
      const entries = names === undefined ? [{ file: path, entry: entryOf(top) }] : await found(path, names.first);
      await reportedChanges();
      return { ok: true, scope: 'everything', ...sorted(entries), tooMany: names?.tooMany ?? 0 };
    } catch (error) {
      return { ok: false, missing: errorCode(error) === 'ENOENT', problem: messageOf(error) };
    }
  };
  return {
    list,
    async look(names) {
      const top = await stat(path).catch(() => undefined);
      // A single file or a missing folder: checking all of it costs no more.
      if (top?.isDirectory() !== true) return list();
      const entries = await found(path, names);
      await reportedChanges();
      const gone = entries.filter(({ entry }) => !('signature' in entry)).map(({ file }) => file);
      return { ok: true, scope: 'names', ...sorted(entries), gone };
    },
    watch: (changed, ended) => watchPath(path, changed, ended),
  };
}

/** The kernel queues a change before a listing can show it. The event loop hands the queue over before its next turn. */
const reportedChanges = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function watchPath(path: string, changed: NameChanged, ended: (problem: string) => void): () => void {
  try {
    const identity = identityOf(path);
    const isFile = statSync(path).isFile();
    const watcher = watch(path, (event, name) => {
      if (name === null || name.startsWith('.')) return;
      // The folder itself was replaced or removed. The watch still follows the old folder and will never report again.
      if (event === 'rename' && name === basename(path) && identityOf(path) !== identity) {
        // The watched file is gone. A file that has its name now is another one.
        if (isFile) for (const what of ['entry', 'entry'] as const) changed(name, what);
        return end('it was replaced');
      }
      changed(name, event === 'rename' ? 'entry' : 'content');
    });
    const end = (problem: string): void => {
      watcher.close();
      ended(problem);
    };
    watcher.on('error', (error) => end(error.message));
    return () => watcher.close();
  } catch (error) {
    ended(messageOf(error));
    return () => {};
  }
}

const identityOf = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false });
  // The inode number alone may be reused at once.
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
};

/**
 * Returns the first names of a folder in order, and how many are left out. Holds at most twice `most` names in memory.
 */
async function namesIn(
  path: string,
  most: number,
): Promise<{ readonly first: readonly string[]; readonly tooMany: number }> {
  let first: string[] = [];
  let count = 0;
  for await (const { name } of await opendir(path)) {
    if (name.startsWith('.')) continue;
    count += 1;
    first.push(name);
    if (first.length >= 2 * most) first = first.sort().slice(0, most);
  }
  return { first: first.sort().slice(0, most), tooMany: Math.max(0, count - most) };
}

/** A regular file, another kind of entry, or an entry that vanished between two looks. */
type Entry = { readonly signature: string } | { readonly leftOut: string } | { readonly gone: true };

interface FoundEntry {
  readonly file: string;
  readonly entry: Entry;
}

function entryOf(stats: Stats): Entry {
  const other = otherThanFile(stats);
  return other === undefined ? { signature: signatureOf(stats) } : { leftOut: other };
}

const found = (path: string, names: readonly string[]): Promise<readonly FoundEntry[]> =>
  Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      const entry = await stat(file).then(entryOf, (error: unknown) => withoutStats(file, error));
      return { file, entry };
    }),
  );

/** For a link that leads nowhere or in circles, only the link itself can be examined. */
async function withoutStats(file: string, error: unknown): Promise<Entry> {
  const link = await lstat(file).catch(() => undefined);
  if (link === undefined) return { gone: true };
  const code = errorCode(error);
  return { leftOut: code === 'ENOENT' ? 'a link to nothing' : `unreadable (${code ?? String(error)})` };
}

function sorted(entries: readonly FoundEntry[]) {
  const files = new Map<string, string>();
  const leftOut = new Map<string, string>();
  for (const { file, entry } of entries) {
    if ('signature' in entry) files.set(file, entry.signature);
    else if ('leftOut' in entry) leftOut.set(file, entry.leftOut);
  }
  return { files, leftOut };
}

/** Changes whenever the content may have changed: editors replace files, or write within the same second. */
const signatureOf = (stats: Stats): string => `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
