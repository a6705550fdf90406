/** A line that is longer than a line may be: of its text only the beginning was kept. */
export interface OverlongLine {
  readonly beginning: string;
}

/** Enough to hold the name of an object, which servers write first. */
const BEGINNING_BYTES = 4_096;

/**
 * Splits a stream of bytes into lines. Each byte is looked at once: what belongs to a line that has not ended waits as it
 * came, and is joined when it has. Of a line that grows too long no more than the beginning is kept, and the lines behind it
 * are read as ever.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The beginning of the line that is under way, when that has grown too long. */
  #overlong: OverlongLine | undefined;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that `chunk` ends, empty ones left out. */
  push(chunk: Buffer): readonly (string | OverlongLine)[] {
    const lines: (string | OverlongLine)[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = this.#ended(chunk.subarray(from, end));
      if (line !== '') lines.push(line);
      from = end + 1;
    }
    if (from < chunk.length) this.#wait(chunk.subarray(from));
    return lines;
  }

  /** Whether the last line has no end yet. */
  get isCutShort(): boolean {
    return this.#waitingBytes > 0 || this.#overlong !== undefined;
  }

  #ended(rest: Buffer): string | OverlongLine {
    this.#wait(rest);
    const line = this.#overlong ?? joined(this.#waiting).toString('utf8');
    this.#overlong = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return line;
  }

  #wait(part: Buffer): void {
    if (this.#overlong !== undefined) return;
    this.#waitingBytes += part.length;
    this.#waiting.push(part);
    if (this.#waitingBytes <= this.#maxLineBytes) return;
    const beginning = joined(this.#waiting).subarray(0, BEGINNING_BYTES).toString('utf8');
    this.#overlong = { beginning };
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 ? (parts[0] ?? EMPTY) : Buffer.concat(parts));
const EMPTY = Buffer.alloc(0);

const NEWLINE = 0x0a;
