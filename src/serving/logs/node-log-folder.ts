import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { constants, type Stats } from 'node:fs';
import { join, sep } from 'node:path';

/** The entry under a name in the node's log folder. */
export type FoundNodeLog =
  | {
      readonly type: 'file';
      readonly modifiedAt: Date;
      /** The file as long as it was when it was found, however fast it grows. */
      readonly pieces: AsyncIterable<Buffer>;
      /** Ends the pieces too. May be called at any time, and more than once. */
      close(): Promise<void>;
    }
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
        const now = await handle.stat();
        if (now.isFile() && (await allowed(await pathOf(handle, full)))) return new OpenedLog(handle, now);
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

class OpenedLog {
  readonly type = 'file';
  readonly modifiedAt: Date;
  readonly pieces: AsyncIterable<Buffer>;
  readonly #handle: FileHandle;
  #isClosed = false;

  constructor(handle: FileHandle, { mtime, size }: Pick<Stats, 'mtime' | 'size'>) {
    this.#handle = handle;
    this.modifiedAt = mtime;
    this.pieces = this.#read(size);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#handle.close();
  }

  async *#read(size: number): AsyncGenerator<Buffer> {
    try {
      for (let position = 0; position < size && !this.#isClosed;) {
        const block = Buffer.allocUnsafe(Math.min(BLOCK, size - position));
        const { bytesRead } = await this.#handle.read(block, 0, block.length, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield block.subarray(0, bytesRead);
      }
    } finally {
      await this.close();
    }
  }
}
