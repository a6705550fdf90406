/** One frame of SPDY/3.1. */
export type SpdyFrame =
  | { readonly type: 'control'; readonly kind: number; readonly flags: number; readonly body: Buffer }
  | { readonly type: 'data'; readonly streamId: number; readonly isLast: boolean; readonly data: Buffer };

export const kinds = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 9,
} as const;
export const FIN = 1;

const HEAD = 8;
const VERSION = 0x8003;
const ID_MASK = 0x7fff_ffff;
/** Larger than anything that clients send; a larger announced length is not a frame. */
const LARGEST_FRAME = 4 * 1024 * 1024;

/** Splits bytes into frames, wherever their pieces begin and end. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  /** Yields the frames that this piece completes. Throws for anything but SPDY/3.1. */
  *take(piece: Buffer): Generator<SpdyFrame> {
    this.#pending = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    while (this.#pending.length >= HEAD) {
      const length = this.#pending.readUInt32BE(4) & 0xff_ffff;
      if (length > LARGEST_FRAME) throw new Error(`a frame of ${length} bytes`);
      if (this.#pending.length < HEAD + length) return;
      const first = this.#pending.readUInt16BE(0);
      const flags = this.#pending[4] ?? 0;
      const body = this.#pending.subarray(HEAD, HEAD + length);
      const streamId = this.#pending.readUInt32BE(0);
      const kind = this.#pending.readUInt16BE(2);
      this.#pending = this.#pending.subarray(HEAD + length);
      if (first < 0x8000) yield { type: 'data', streamId, isLast: (flags & FIN) !== 0, data: body };
      else if (first === VERSION) yield { type: 'control', kind, flags, body };
      else throw new Error(`a frame of version ${first & 0x7fff}`);
    }
  }
}

export const streamIdIn = (body: Buffer, at = 0): number => body.readUInt32BE(at) & ID_MASK;

export function controlFrame(kind: number, body: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(kind, 2);
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  return Buffer.concat([head, body]);
}

export function dataFrame(streamId: number, data: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt32BE(((flags << 24) | data.length) >>> 0, 4);
  return Buffer.concat([head, data]);
}

/** Encodes numbers of four bytes each. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * index);
  return bytes;
}
