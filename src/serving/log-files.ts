import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../actor/clock.ts';

/** One open log file. Goes on being that file when another takes its name. */
export interface LogFile {
  /** The same for two files only if they are one. */
  readonly identity: string;
  size(): Promise<number>;
  /** Reads from `position` into `buffer`; resolves with how many bytes there were, 0 at the end. */
  read(buffer: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The log files of a node. */
export interface LogFiles {
  /** Undefined: there is no such file. Rejects when it cannot be opened for another reason. */
  open(path: string): Promise<LogFile | undefined>;
  /** Tells of changes to what is called `path`, until the returned function is called. */
  watch(path: string, changed: () => void): () => void;
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The real files. Where watching is not possible they are looked at in turns, as they are anyway. */
export const hostLogFiles: LogFiles = {
  async open(path) {
    try {
      const handle = await open(path, 'r');
      const { dev, ino } = await handle.stat({ bigint: true });
      return {
        identity: `${dev}:${ino}`,
        size: async () => (await handle.stat()).size,
        read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
        close: () => handle.close(),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  watch(path, changed) {
    const name = basename(path);
    try {
      // The directory, since rotation gives the name to another file.
      const watcher = watch(dirname(path), (_, file) => {
        if (file === null || file === name) changed();
      });
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  },
};

/** Resolves when `path` has changed, when `withinMs` is over, or when the reader has left. */
export function changeOf(
  files: LogFiles,
  path: string,
  wait: { readonly clock: Clock; readonly withinMs: number; readonly signal: AbortSignal },
): { readonly happened: Promise<void>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopWatching = files.watch(path, resolve);
  const stopTimer = wait.clock.after(wait.withinMs, resolve);
  wait.signal.addEventListener('abort', () => resolve(), { once: true });
  return {
    happened: promise,
    end() {
      stopWatching();
      stopTimer();
      resolve();
    },
  };
}
