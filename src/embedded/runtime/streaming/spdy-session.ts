import { Duplex } from 'node:stream';
import {
  controlFrame,
  dataFrame,
  FIN,
  FrameReader,
  kinds,
  numbers,
  type SpdyFrame,
  streamIdIn,
} from './spdy-frames.ts';
import { HeaderReader, HeaderWriter, type SpdyHeaders } from './spdy-headers.ts';

/** A stream that a client has opened. */
export interface SpdyStream {
  readonly headers: SpdyHeaders;
  /** The stream's bytes. Each direction ends by itself. */
  readonly bytes: Duplex;
}

const CANCEL = 5;
const PROTOCOL_ERROR = 1;
/** How much may lie unread in one stream before reading from the connection stops. */
const UNREAD = 1024 * 1024;
const LONGEST_DATA = 32 * 1024;
const MOST_STREAMS = 1_000;

/**
 * The server's side of a SPDY/3.1 connection, as far as clients of container runtimes use it: client streams, data
 * both ways, pings. Those clients (spdystream) ignore windows: a fast side is slowed down by the connection itself.
 */
export class SpdySession {
  /** Resolves when the connection is over, for any reason. */
  readonly closed: Promise<void>;
  readonly #connection: Duplex;
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  readonly #streams = new Map<number, Duplex>();
  readonly #opened: (stream: SpdyStream) => void;
  #wake: () => void = () => {};

  constructor(connection: Duplex, opened: (stream: SpdyStream) => void) {
    this.#connection = connection;
    this.#opened = opened;
    connection.on('error', () => {});
    this.closed = this.#read();
  }

  /** Closes the connection after all writes are on their way. */
  end(): void {
    if (!this.#connection.writableEnded) this.#connection.end(controlFrame(kinds.goAway, numbers(0, 0)));
  }

  async #read(): Promise<void> {
    const frames = new FrameReader();
    try {
      for await (const piece of this.#connection) {
        // A stream without an encoding yields buffers.
        for (const frame of frames.take(piece as Buffer)) await this.#take(frame);
      }
    } catch {
      // A broken connection, or one with another protocol, is over.
    }
    this.#connection.destroy();
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#reader.close();
    this.#writer.close();
  }

  async #take(frame: SpdyFrame): Promise<void> {
    if (frame.type === 'data') return this.#data(frame);
    const { kind, body, flags } = frame;
    switch (kind) {
      case kinds.synStream:
        return this.#open(body, flags);
      case kinds.rstStream: {
        const id = streamIdIn(body);
        this.#streams.get(id)?.destroy();
        return void this.#streams.delete(id);
      }
      case kinds.ping:
        // The client's pings have odd numbers, and are returned unchanged.
        if (streamIdIn(body) % 2 === 1) this.#connection.write(controlFrame(kinds.ping, body));
        return;
      case kinds.goAway:
        return;
      default:
        // Settings and windows are ignored; unknown frames must be ignored.
        return;
    }
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    const id = streamIdIn(body);
    const headers = await this.#reader.read(body.subarray(10));
    if (id % 2 === 0 || this.#streams.has(id) || this.#streams.size >= MOST_STREAMS) {
      this.#connection.write(controlFrame(kinds.rstStream, numbers(id, PROTOCOL_ERROR)));
      return;
    }
    const stream = this.#stream(id);
    this.#streams.set(id, stream);
    const reply = Buffer.concat([numbers(id), await this.#writer.write(new Map())]);
    this.#connection.write(controlFrame(kinds.synReply, reply));
    if ((flags & FIN) !== 0) stream.push(null);
    this.#opened({ headers, bytes: stream });
  }

  async #data({ streamId, data, isLast }: Extract<SpdyFrame, { type: 'data' }>): Promise<void> {
    const stream = this.#streams.get(streamId);
    if (data.length > 0) this.#connection.write(controlFrame(kinds.windowUpdate, numbers(0, data.length)));
    if (stream === undefined || stream.destroyed) return;
    if (data.length > 0) {
      stream.push(Buffer.from(data));
      this.#connection.write(controlFrame(kinds.windowUpdate, numbers(streamId, data.length)));
    }
    if (isLast) stream.push(null);
    while (stream.readableLength > UNREAD && !stream.destroyed) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #stream(id: number): Duplex {
    const connection = this.#connection;
    const stream = new Duplex({
      allowHalfOpen: true,
      read: () => this.#wake(),
      write(piece: Buffer, _encoding, done) {
        for (let from = 0; from < piece.length; from += LONGEST_DATA) {
          const part = piece.subarray(from, from + LONGEST_DATA);
          connection.write(dataFrame(id, part), from + LONGEST_DATA >= piece.length ? done : undefined);
        }
        if (piece.length === 0) done();
      },
      final(done) {
        connection.write(dataFrame(id, Buffer.alloc(0), FIN), done);
      },
    });
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#wake();
      const isWhole = stream.writableFinished && stream.readableEnded;
      if (!this.#streams.delete(id) || isWhole || connection.destroyed || connection.writableEnded) return;
      connection.write(controlFrame(kinds.rstStream, numbers(id, CANCEL)));
    });
    return stream;
  }
}
