/** A line beyond the maximum length: only its beginning was kept. */
export interface OverlongLine {
  readonly beginning: string;
}

/** Enough for the name of an object, which servers write first. */
const BEGINNING_BYTES = 4_096;

/**
 * Splits a stream of bytes into lines. Each byte is examined once: pieces of an unfinished line wait as they came
 * and are joined at its end. Only the beginning of an overlong line is kept; later lines are read as usual.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The beginning of the current line, when the line is overlong. */
  #overlong: OverlongLine | undefined;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the lines that `chunk` completes, without empty ones. */
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

  /** `true` if the last line has no end yet. */
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
