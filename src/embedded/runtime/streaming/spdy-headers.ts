import { constants, createDeflate, createInflate } from 'node:zlib';
import { spdyDictionary } from './spdy-dictionary.ts';

export type SpdyHeaders = ReadonlyMap<string, string>;

/** No client of a runtime sends more than this. */
const LARGEST_BLOCK = 64 * 1024;

const compression = {
  dictionary: spdyDictionary,
  flush: constants.Z_SYNC_FLUSH,
  // A block must fit, or it would wait for a reader.
  highWaterMark: 1024 * 1024,
};

/**
 * Headers of one direction of a SPDY/3.1 connection. They are compressed as one stream: blocks must be read in
 * order.
 */
export class HeaderReader {
  readonly #inflate = createInflate(compression);

  /** Rejects for anything but a header block. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    if (block.length > LARGEST_BLOCK) throw new Error('a header block is too large');
    const plain = await passThrough(this.#inflate, block);
    const headers = new Map<string, string>();
    let at = 4;
    const text = (): string => {
      const length = plain.readUInt32BE(at);
      at += 4 + length;
      if (at > plain.length) throw new Error('a header block is cut short');
      return plain.toString('utf8', at - length, at);
    };
    for (let left = plain.readUInt32BE(0); left > 0; left--) headers.set(text().toLowerCase(), text());
    return headers;
  }

  close(): void {
    this.#inflate.close();
  }
}

/** The other direction. */
export class HeaderWriter {
  readonly #deflate = createDeflate(compression);

  write(headers: SpdyHeaders): Promise<Buffer> {
    const number = (value: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    };
    const texts = [...headers].flat().map((each) => Buffer.from(each));
    const plain = [number(headers.size), ...texts.flatMap((each) => [number(each.length), each])];
    return passThrough(this.#deflate, Buffer.concat(plain));
  }

  close(): void {
    this.#deflate.close();
  }
}

type Zlib = ReturnType<typeof createInflate> | ReturnType<typeof createDeflate>;

const passThrough = (zlib: Zlib, block: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    zlib.once('error', reject);
    zlib.write(block, () => {
      zlib.off('error', reject);
      const pieces: Buffer[] = [];
      // A stream without an encoding yields buffers.
      for (let piece = zlib.read() as Buffer | null; piece !== null; piece = zlib.read() as Buffer | null) {
        pieces.push(piece);
      }
      resolve(Buffer.concat(pieces));
    });
  });
