import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { elapsedMs, later, type Clock, type MonotonicMs } from '../../actor/clock.ts';
import { openRegularFile } from '../../host/read-regular-file.ts';

/** One open log file. It stays the same file when another file takes its name. */
export interface LogFile {
  /** Equal for two handles only if they are the same file. */
  readonly identity: string;
  size(): Promise<number>;
  /** Reads from `position` into `buffer`. Resolves with the number of bytes, 0 at the end. */
  read(buffer: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The log files of a node. */
export interface LogFiles {
  /** `undefined` when the file does not exist. Rejects when it cannot be opened for another reason. */
  open(path: string): Promise<LogFile | undefined>;
  /** Reports changes to the file at `path`, until the returned function is called. */
  watch(path: string, changed: (what: LogChange) => void): () => void;
}

/**
 * `content`: probably more was written. `name`: another file may have the name now, or anything may have happened.
 */
export type LogChange = 'content' | 'name';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The real files. Where the system cannot watch files, the regular polling must do. */
export const hostLogFiles: LogFiles = {
  async open(path) {
    try {
      // The runtime names the path: a pipe there would hold a thread of the pool for ever.
      const handle = await openRegularFile(path);
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
      // Watches the directory, since rotation gives the name to another file.
      const watcher = watch(dirname(path), (event, file) => {
        if (file === null || file === name) changed(event === 'change' ? 'content' : 'name');
      });
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  },
};

export interface FollowedPathOptions {
  readonly clock: Clock;
  /** Aborted when the follower disconnects. */
  readonly signal: AbortSignal;
  /** Maximum time between two checks of the file's name and container, with or without a change notice. */
  readonly lookEveryMs: number;
  /** Minimum time between two reads while the file keeps growing. */
  readonly readEveryMs: number;
}

/**
 * One follower's watch over a log: when to read on, and when to check that the file is still the same and still
 * written.
 */
export class FollowedPath {
  readonly #options: FollowedPathOptions;
  readonly #stopWatching: () => void;
  #change: LogChange | undefined;
  #lookedAt: MonotonicMs;
  #readAt: MonotonicMs;
  #wake: () => void = () => {};

  constructor(files: LogFiles, path: string, options: FollowedPathOptions) {
    this.#options = options;
    const now = options.clock.monotonic();
    this.#lookedAt = now - options.lookEveryMs;
    this.#readAt = now;
    this.#stopWatching = files.watch(path, (what) => {
      this.#change = this.#change === 'name' ? 'name' : what;
      this.#wake();
    });
    options.signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Call before reading: later changes count as new. Returns the change reported since the last call. */
  begin(): LogChange | undefined {
    const change = this.#change;
    this.#change = undefined;
    this.#readAt = this.#options.clock.monotonic();
    return change;
  }

  /** `true` if a check is due; the check then counts as done. */
  takeLook(): boolean {
    const { clock, lookEveryMs } = this.#options;
    if (elapsedMs(this.#lookedAt, clock.monotonic()) < lookEveryMs) return false;
    this.#lookedAt = clock.monotonic();
    return true;
  }

  /** Resolves when there may be more to read, when a check is due, or when the follower disconnects. */
  async next(): Promise<void> {
    const { clock, signal, lookEveryMs, readEveryMs } = this.#options;
    if (this.#change === undefined) await this.#wait(elapsedMs(clock.monotonic(), later(this.#lookedAt, lookEveryMs)));
    // A busy log is read in large pieces: each read costs the same, however much it returns.
    const restMs = elapsedMs(clock.monotonic(), later(this.#readAt, readEveryMs));
    if (this.#change === 'content' && restMs > 0 && !signal.aborted) await this.#wait(restMs);
  }

  end(): void {
    this.#stopWatching();
    this.#wake();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.#options.clock.after(Math.max(0, ms), resolve);
      const resting = this.#change === 'content';
      this.#wake = () => {
        // While resting, more content does not end the rest.
        if (resting && this.#change === 'content' && !this.#options.signal.aborted) return;
        stopTimer();
        resolve();
      };
    });
  }
}
