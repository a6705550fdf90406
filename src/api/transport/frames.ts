/** A frame beyond the maximum length: only its beginning was kept. */
export interface OverlongFrame {
  readonly beginning: Buffer;
}

/** Enough for the name of an object, which servers write first. */
const BEGINNING_BYTES = 4_096;
const LENGTH_BYTES = 4;

export interface FrameBounds {
  /** A longer frame is not kept. */
  readonly mostBytes: number;
  /** No frame is longer than this: the stream is broken. */
  readonly mostSkipped: number;
}

/**
 * Splits a stream of bytes into frames: four bytes of length, then as many bytes. Pieces of an unfinished frame wait as
 * they came and are joined at its end. Of an overlong frame only the beginning is kept; later frames are read as usual.
 */
export class FrameSplitter {
  readonly #bounds: FrameBounds;
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  #headerBytes = 0;
  /** Bytes of the current frame that have not arrived yet. */
  #left = 0;
  #isOverlong = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(bounds: FrameBounds) {
    this.#bounds = bounds;
  }

  /** Yields the frames that `chunk` completes. Throws at a length that no frame has. */
  *push(chunk: Buffer): Generator<Buffer | OverlongFrame, void, undefined> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#headerBytes < LENGTH_BYTES) rest = this.#readLength(rest);
      if (this.#headerBytes < LENGTH_BYTES) return;
      const part = rest.subarray(0, this.#left);
      rest = rest.subarray(part.length);
      this.#left -= part.length;
      this.#keep(part);
      if (this.#left === 0) yield this.#ended();
    }
  }

  /** `true` if the last frame has no end yet. */
  get isCutShort(): boolean {
    return this.#headerBytes > 0;
  }

  /** Returns what follows the length. */
  #readLength(bytes: Buffer): Buffer {
    const taken = bytes.copy(this.#header, this.#headerBytes, 0, LENGTH_BYTES - this.#headerBytes);
    this.#headerBytes += taken;
    if (this.#headerBytes === LENGTH_BYTES) {
      this.#left = this.#header.readUInt32BE();
      const { mostBytes, mostSkipped } = this.#bounds;
      if (this.#left > mostSkipped) throw new Error(`a frame claims to have ${this.#left} bytes`);
      this.#isOverlong = this.#left > mostBytes;
    }
    return bytes.subarray(taken);
  }

  #keep(part: Buffer): void {
    const kept = this.#isOverlong ? part.subarray(0, Math.max(0, BEGINNING_BYTES - this.#waitingBytes)) : part;
    if (kept.length === 0) return;
    // A part of an overlong frame would keep the whole chunk in memory.
    this.#waiting.push(this.#isOverlong ? Buffer.from(kept) : kept);
    this.#waitingBytes += kept.length;
  }

  #ended(): Buffer | OverlongFrame {
    const [first = EMPTY] = this.#waiting;
    const frame = this.#waiting.length <= 1 ? first : Buffer.concat(this.#waiting);
    const isOverlong = this.#isOverlong;
    this.#headerBytes = 0;
    this.#isOverlong = false;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return isOverlong ? { beginning: frame } : frame;
  }
}

const EMPTY = Buffer.alloc(0);
