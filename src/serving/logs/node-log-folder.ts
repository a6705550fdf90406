import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join, sep } from 'node:path';

/** The entry under a name in the node's log folder. */
export type FoundNodeLog =
  | { readonly type: 'file'; readonly modifiedAt: Date; readonly pieces: AsyncIterable<Buffer>; close(): Promise<void> }
  /** Names in order; folder names end in a slash. */
  | { readonly type: 'folder'; readonly names: readonly string[] }
  | { readonly type: 'missing' }
  /** The entry exists but must not be shown. */
  | { readonly type: 'forbidden' };

/** The folder of a node's logs. */
export interface NodeLogFolder {
  /** `path` is relative to the folder. Nothing outside the allowed folders is read, whatever `path` contains. */
  find(path: string): Promise<FoundNodeLog>;
}

const BLOCK = 65_536;
/** A listing stops after this many names. */
const MOST_NAMES = 10_000;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * The real folder. A symbolic link counts as its target, and only if the target lies within `folder` or one of
 * `alsoWithin`: `/var/log/containers` is full of links to pod logs. The opened file is checked, so it cannot be
 * swapped between the check and the reading.
 */
export function nodeLogFolder(folder: string, alsoWithin: readonly string[] = []): NodeLogFolder {
  const allowed = async (path: string): Promise<boolean> => {
    const roots = await Promise.all([folder, ...alsoWithin].map((root) => realpath(root).catch(() => undefined)));
    return roots.some((root) => root !== undefined && (path === root || path.startsWith(`${root}${sep}`)));
  };
  return {
    async find(path) {
      const parts = path.split('/');
      if (parts.includes('..') || path.includes('\0')) return { type: 'missing' };
      const full = join(folder, path);
      try {
        const kind = await stat(full);
        if (kind.isDirectory()) {
          if (!(await allowed(await realpath(full)))) return { type: 'forbidden' };
          return { type: 'folder', names: await namesIn(full) };
        }
        // Pipes and devices are not logs. Opening one may have effects, or never end.
        if (!kind.isFile()) return { type: 'forbidden' };
        const handle = await open(full, constants.O_RDONLY | constants.O_NONBLOCK);
        const { isFile, mtime } = await handle.stat().then((now) => ({ isFile: now.isFile(), mtime: now.mtime }));
        if (isFile && (await allowed(await pathOf(handle, full)))) {
          return { type: 'file', modifiedAt: mtime, pieces: piecesOf(handle), close: () => handle.close() };
        }
        await handle.close();
        return { type: 'forbidden' };
      } catch (error) {
        const code = codeOf(error);
        if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return { type: 'missing' };
        if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return { type: 'forbidden' };
        throw error;
      }
    },
  };
}

/** Returns the real path of an open file: the kernel knows it; elsewhere the name is resolved again. */
const pathOf = ({ fd }: FileHandle, name: string): Promise<string> =>
  readlink(`/proc/self/fd/${fd}`).catch(() => realpath(name));

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
    .slice(0, MOST_NAMES);
}

/** Reads to the end. A file that grows faster than its reader ends at its initial size. */
async function* piecesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  try {
    let left = (await handle.stat()).size;
    for (let position = 0; left > 0;) {
      const block = Buffer.allocUnsafe(Math.min(BLOCK, left));
      const { bytesRead } = await handle.read(block, 0, block.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      left -= bytesRead;
      yield block.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
