import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { later, type Clock } from '../actor/clock.ts';

/** More than any configuration, manifest or state file needs. The kubelet has the same limit for manifests. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export interface ReadOptions {
  /** A larger file is refused. Default: 10 MiB. */
  readonly maxBytes?: number;
  /** `refuse` if the last name of the path must not be a link. Default: `follow`, since ConfigMap volumes use links. */
  readonly links?: 'follow' | 'refuse';
}

/** Thrown for an existing file that must not be read. Its message names the file. */
export class ForbiddenFile extends Error {
  readonly reason: 'not-regular' | 'too-large';

  constructor(reason: 'not-regular' | 'too-large', message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Reads a regular file only: a pipe would block the reader, and a device may have no end. The size reported by the file
 * system is not trusted: files grow, and files of `/proc` report none. Throws `ForbiddenFile`, or as `node:fs` does.
 */
export const readRegularFileSync = (path: string, options: ReadOptions = {}): Buffer =>
  readAfter(options.links === 'refuse' ? lstatSync(path) : statSync(path), path, options);

/**
 * As `readTextSync`. `undefined` for a missing file, without an error: an error and its stack cost more than a read.
 */
export function readTextIfAnySync(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : readAfter(stats, path, {}).toString('utf8');
}

/** As `readTextIfAnySync`. `undefined` also for a file that cannot be read, or must not be. */
export function readTextIfPossible(path: string): string | undefined {
  try {
    return readTextIfAnySync(path);
  } catch {
    return undefined;
  }
}

/** The file is checked before it is opened: opening a device can have an effect already. */
function readAfter(stats: Stats, path: string, options: ReadOptions): Buffer {
  mustBeRegular(path, stats);
  const file = openSync(path, openFlags(options));
  try {
    mustBeRegular(path, fstatSync(file));
    const content = new BoundedContent(path, options);
    while (content.took(readSync(file, content.room()))) continue;
    return content.bytes();
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a regular file for reading, and nothing else. The file is checked before and after, as opening a device can
 * have an effect already. Throws `ForbiddenFile`, or as `node:fs` does. The caller closes the file.
 */
export async function openRegularFile(path: string, options: Pick<ReadOptions, 'links'> = {}): Promise<FileHandle> {
  mustBeRegular(path, options.links === 'refuse' ? await lstat(path) : await stat(path));
  const file = await open(path, openFlags(options));
  try {
    mustBeRegular(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** As `readRegularFileSync`, for a thread that must not block. */
export async function readRegularFile(path: string, options: ReadOptions = {}): Promise<Buffer> {
  const file = await openRegularFile(path, options);
  try {
    const content = new BoundedContent(path, options);
    for (let more = true; more;) more = content.took((await file.read(content.room())).bytesRead);
    return content.bytes();
  } finally {
    await file.close();
  }
}

/** For the writer of a pipe. */
const PIPE_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * As `readText`, but also of a named pipe, as shells make them of `<(command)`: for files that the command line names.
 * Rejects when the pipe's writer is not done in 10 s.
 */
export async function readTextOrPipe(path: string, clock: Pick<Clock, 'monotonic' | 'after'>): Promise<string> {
  if (!(await stat(path)).isFIFO()) return readText(path);
  const file = await open(path, openFlags());
  try {
    const content = new BoundedContent(path, {});
    const until = later(clock.monotonic(), PIPE_MS);
    for (let begun = false; ;) {
      // No answer: there are writers, which have written nothing yet. No bytes: there are none, or none any more.
      const bytes = await file.read(content.room()).then(({ bytesRead }) => bytesRead, unlessWaiting);
      if (bytes !== undefined && bytes > 0) begun = content.took(bytes);
      else if (bytes === 0 && begun) return content.bytes().toString('utf8');
      else if (clock.monotonic() > until) throw new Error(`${path}: the writer of this pipe took more than 10 s`);
      else await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  } finally {
    await file.close();
  }
}

function unlessWaiting(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
}

export const readTextSync = (path: string, options?: ReadOptions): string =>
  readRegularFileSync(path, options).toString('utf8');

export const readText = async (path: string, options?: ReadOptions): Promise<string> =>
  (await readRegularFile(path, options)).toString('utf8');

/** Returns what is there instead of a regular file. `undefined` when it is a regular file. */
export function otherThanFile(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isSymbolicLink()) return 'a link';
  return 'a device';
}

/** Flags for `open`: never waits for a writer of a pipe, and never makes a terminal the controlling terminal. */
export const openFlags = ({ links }: Pick<ReadOptions, 'links'> = {}): number =>
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | (links === 'refuse' ? constants.O_NOFOLLOW : 0);

function mustBeRegular(path: string, stats: Stats): void {
  const other = otherThanFile(stats);
  if (other !== undefined) throw new ForbiddenFile('not-regular', `${path} is ${other}, not a regular file`);
}

const FIRST_ROOM_BYTES = 64 * 1024;

/** Collects the bytes read, with room for one byte more than allowed. */
class BoundedContent {
  readonly #path: string;
  readonly #maxBytes: number;
  #buffer: Buffer;
  #length = 0;

  constructor(path: string, { maxBytes = MAX_FILE_BYTES }: ReadOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#buffer = Buffer.allocUnsafe(Math.min(FIRST_ROOM_BYTES, maxBytes + 1));
  }

  /** Returns the room for the next bytes. Never empty. */
  room(): Buffer {
    if (this.#length === this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#length * 4, this.#maxBytes + 1));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(this.#length);
  }

  /** `true` if more may follow. */
  took(bytes: number): boolean {
    this.#length += bytes;
    if (this.#length > this.#maxBytes)
      throw new ForbiddenFile('too-large', `${this.#path} is larger than the limit of ${this.#maxBytes} bytes`);
    return bytes > 0;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
