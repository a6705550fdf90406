/**
 * Splits a stream of bytes into lines. Each byte is looked at once: what belongs to a line that has not ended waits as it
 * came, and is joined when it has.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that `chunk` ends, empty ones left out. Throws a `RangeError` when a line grows beyond what it may have. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
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
    return this.#waitingBytes > 0;
  }

  #ended(rest: Buffer): string {
    if (this.#waitingBytes === 0) return rest.toString('utf8');
    this.#wait(rest);
    const line = Buffer.concat(this.#waiting).toString('utf8');
    this.#waiting = [];
    this.#waitingBytes = 0;
    return line;
  }

  #wait(part: Buffer): void {
    this.#waitingBytes += part.length;
    if (this.#waitingBytes > this.#maxLineBytes) {
      throw new RangeError(`a line is longer than ${this.#maxLineBytes} bytes`);
    }
    this.#waiting.push(part);
  }
}

const NEWLINE = 0x0a;
