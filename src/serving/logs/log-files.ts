import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../actor/clock.ts';

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
  watch(path: string, changed: (what: LogChange) => void): () => void;
}

/** `content`: more was written, most likely. `name`: it may be another file now, or anything may have happened. */
export type LogChange = 'content' | 'name';

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
  /** Whoever follows has left. */
  readonly signal: AbortSignal;
  /** How often a follower looks at more than the content, told of a change or not. */
  readonly lookEveryMs: number;
  /** How often it reads, at most, while more and more is written. */
  readonly readEveryMs: number;
}

/** One follower's watch over a log: when to read on, and when to look whether it is still the same file and will go on. */
export class FollowedPath {
  readonly #options: FollowedPathOptions;
  readonly #stopWatching: () => void;
  #change: LogChange | undefined;
  #lookedAt: number;
  #readAt: number;
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

  /** Before reading: what changes from now on is news. Answers what was told since the last time. */
  begin(): LogChange | undefined {
    const change = this.#change;
    this.#change = undefined;
    this.#readAt = this.#options.clock.monotonic();
    return change;
  }

  /** Whether it is time for a look; then it counts as done. */
  takeLook(): boolean {
    const { clock, lookEveryMs } = this.#options;
    if (clock.monotonic() - this.#lookedAt < lookEveryMs) return false;
    this.#lookedAt = clock.monotonic();
    return true;
  }

  /** Resolves when there may be more to read, when a look is due, or when the follower has left. */
  async next(): Promise<void> {
    const { clock, signal, lookEveryMs, readEveryMs } = this.#options;
    if (this.#change === undefined) await this.#wait(this.#lookedAt + lookEveryMs - clock.monotonic());
    // A log that is written to all the time is read in gulps: each costs the same, however much comes with it.
    const restMs = this.#readAt + readEveryMs - clock.monotonic();
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
        // While it rests, more content is no reason to get up.
        if (resting && this.#change === 'content' && !this.#options.signal.aborted) return;
        stopTimer();
        resolve();
      };
    });
  }
}
