import type { Clock } from '../../actor/clock.ts';
import type { ContainerLogOptions } from './container-log-options.ts';
import {
  logFormatOf,
  readLogRecord,
  type ContainerLogFormat,
  type ContainerLogRecord,
} from './container-log-record.ts';
import { FollowedPath, type LogFile, type LogFiles } from './log-files.ts';
import { tailOffset } from './tail-offset.ts';

export interface LogSource {
  readonly files: LogFiles;
  readonly path: string;
  /** `true` if more may be written. A runtime that does not answer counts as `true`. */
  isRunning(): Promise<boolean>;
  readonly clock: Clock;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
}

const NEWLINE = 0x0a;
const BLOCK = 65_536;
/** A record may be as long as the runtime likes; beyond this it is passed on in pieces. */
const LONGEST_RECORD = 1024 * 1024;
/** A follower checks the log at least this often, with or without a change notice. */
const LOOK_EVERY_MS = 1_000;
/** Minimum time between two reads of a busy log. */
const READ_EVERY_MS = 100;

/** How long the old file is still read after a new one appears. */
const SETTLE_MS = 100;

/** Why a log cannot be read. */
export class UnreadableLog extends Error {}

/**
 * Yields the lines of a container's log as bytes. Nothing is read before it is requested, so a slow reader delays
 * the reading and costs no memory. Only a follower gets what is written after the request: it follows through
 * rotation, first the rest of the old file, then the new file from its start. Every other answer is the file as it was
 * when asked, and ends however fast the file grows.
 */
export async function* readContainerLog(source: LogSource, options: ContainerLogOptions): AsyncGenerator<Buffer> {
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const piece of linesOf(source, options)) {
    const cut = piece.length > left ? piece.subarray(0, left) : piece;
    left -= cut.length;
    if (cut.length > 0) yield cut;
    if (left === 0) return;
  }
}

async function* linesOf(source: LogSource, options: ContainerLogOptions): AsyncGenerator<Buffer> {
  const { files, path, signal } = source;
  const first = await files.open(path);
  if (first === undefined) throw new UnreadableLog(`the log file ${path} is not there`);
  const writer = new LineWriter(options);
  let reader = await firstReader(first, options);
  const { clock } = source;
  const pace = { clock, signal, lookEveryMs: LOOK_EVERY_MS, readEveryMs: READ_EVERY_MS };
  const followed = options.follow ? new FollowedPath(files, path, pace) : undefined;
  let isLast = false;
  try {
    for (;;) {
      const change = followed?.begin();
      const before = reader.position;
      yield* reader.records(writer, signal);
      if (signal.aborted) return;
      if (followed === undefined || isLast) {
        // An unfinished record is returned as well.
        yield* reader.rest(writer);
        return;
      }
      const isQuiet = change !== 'content' || reader.position === before;
      if ((change !== undefined && isQuiet) || followed.takeLook()) {
        if (await reader.hasMore()) continue;
        const next = await files.open(path);
        if (next !== undefined && next.identity !== reader.file.identity) {
          // More may have been written between the last read and the rotation. A runtime also makes the new file
          // before it closes the old one: output written in between is in the old file.
          yield* reader.records(writer, signal);
          await pause(source, SETTLE_MS);
          yield* reader.records(writer, signal);
          yield* reader.rest(writer);
          await reader.file.close();
          reader = new RecordReader(next, { begin: 0 });
          continue;
        }
        await next?.close();
        if (!(await source.isRunning())) {
          isLast = true;
          continue;
        }
      }
      await followed.next();
    }
  } finally {
    followed?.end();
    await reader.file.close();
  }
}

/** One size serves both ends: otherwise a writer would move the end on while the beginning is still looked for. */
async function firstReader(file: LogFile, { follow, tailLines }: ContainerLogOptions): Promise<RecordReader> {
  const size = await file.size();
  const begin = tailLines === undefined ? 0 : await tailOffset(file, tailLines, size);
  return new RecordReader(file, follow ? { begin } : { begin, end: size, mostRecords: tailLines });
}

/** Ends early when the reader disconnects. */
function pause({ clock, signal }: LogSource, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(cancel);
}

interface RecordRange {
  readonly begin: number;
  /** Nothing from here on is read. Default: the end of the file, wherever that is by then. */
  readonly end?: number;
  readonly mostRecords?: number | undefined;
}

/** Reads a file record by record. Starts over when the file is truncated (copy-truncate rotation). */
class RecordReader {
  readonly file: LogFile;
  readonly #block = Buffer.allocUnsafeSlow(BLOCK);
  readonly #end: number;
  #position: number;
  #recordsLeft: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(file: LogFile, { begin, end, mostRecords }: RecordRange) {
    this.file = file;
    this.#position = begin;
    this.#end = end ?? Number.POSITIVE_INFINITY;
    this.#recordsLeft = mostRecords ?? Number.POSITIVE_INFINITY;
  }

  /** The position after the last record. */
  get position(): number {
    return this.#position;
  }

  async hasMore(): Promise<boolean> {
    const size = await this.file.size();
    if (size < this.#position) {
      this.#position = 0;
      this.#take();
    }
    return size > this.#position;
  }

  async *records(writer: LineWriter, signal: AbortSignal): AsyncGenerator<Buffer> {
    while (!signal.aborted) {
      const room = Math.min(BLOCK, this.#end - this.#position);
      const got = room > 0 ? await this.file.read(this.#block.subarray(0, room), this.#position) : 0;
      if (got === 0) return;
      // Most reads are far smaller than a block, and the next read overwrites the block.
      const block = Buffer.from(this.#block.subarray(0, got));
      this.#position += got;
      const pieces: Buffer[] = [];
      let from = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0 && end < got; end = block.indexOf(NEWLINE, from)) {
        this.#add(block.subarray(from, end + 1));
        this.#write(writer, pieces);
        from = end + 1;
      }
      this.#add(block.subarray(from, got));
      if (this.#pendingBytes > LONGEST_RECORD)
        throw new UnreadableLog(`a record is longer than ${LONGEST_RECORD} bytes`);
      if (pieces.length > 0) yield Buffer.concat(pieces);
      // This was the end of the file at that moment.
      if (got < BLOCK) return;
    }
  }

  *rest(writer: LineWriter): Generator<Buffer> {
    const pieces: Buffer[] = [];
    if (this.#pendingBytes > 0) this.#write(writer, pieces);
    if (pieces.length > 0) yield Buffer.concat(pieces);
  }

  #write(writer: LineWriter, pieces: Buffer[]): void {
    const record = this.#take();
    if (this.#recordsLeft === 0) return;
    if (writer.write(record, pieces) !== 'malformed') this.#recordsLeft--;
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pending.push(piece);
    this.#pendingBytes += piece.length;
  }

  #take(): Buffer {
    const [only] = this.#pending;
    const record = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return record;
  }
}

/** Turns records into the output of the request. */
class LineWriter {
  readonly #options: ContainerLogOptions;
  #format: ContainerLogFormat | undefined;
  /** For each stream: `true` if the next record continues a line. */
  readonly #midLine = { stdout: false, stderr: false };

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  /** A malformed line after the first is left out. */
  write(line: Buffer, pieces: Buffer[]): 'malformed' | 'taken' {
    this.#format ??= logFormatOf(line);
    if (this.#format === undefined) throw new UnreadableLog('its first line is in no known log format');
    const record = readLogRecord(this.#format, line);
    if (record === undefined) return 'malformed';
    if (!this.#isWanted(record)) return 'taken';
    if (this.#options.timestamps && !this.#midLine[record.stream]) pieces.push(Buffer.from(`${record.instant} `));
    this.#midLine[record.stream] = record.isPartial;
    pieces.push(record.text);
    return 'taken';
  }

  #isWanted({ instant, stream }: ContainerLogRecord): boolean {
    const { since, stream: wanted } = this.#options;
    if (wanted !== 'All' && wanted.toLowerCase() !== stream) return false;
    return since === undefined || Date.parse(instant) >= since;
  }
}
