import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  controlFrame,
  dataFrame,
  FIN,
  FrameReader,
  kinds,
  numbers,
  streamIdIn,
} from '../../../../src/embedded/runtime/streaming/spdy-frames.ts';
import { HeaderReader, HeaderWriter } from '../../../../src/embedded/runtime/streaming/spdy-headers.ts';

/** The client's side of SPDY/3.1, as much as a test needs. */
export class SpdyClient {
  readonly socket: Socket;
  /** What each stream was sent, and whether it was ended. */
  readonly heard = new Map<number, { text: string; isEnded: boolean }>();
  readonly resets: number[] = [];
  readonly pings: number[] = [];
  answer = '';
  readonly #writer = new HeaderWriter();
  readonly #reader = new HeaderReader();
  readonly #frames = new FrameReader();
  #nextId = 1;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
  }

  /** Connects, and asks for an upgrade with this protocol. */
  static async upgrade(url: string, protocol: string): Promise<SpdyClient> {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const client = new SpdyClient(socket);
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n` +
        `X-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    const end = first.indexOf('\r\n\r\n') + 4;
    client.answer = first.toString('latin1', 0, end);
    client.#take(first.subarray(end));
    socket.on('data', (piece: Buffer) => client.#take(piece));
    return client;
  }

  async open(headers: Readonly<Record<string, string>>): Promise<number> {
    const id = this.#nextId;
    this.#nextId += 2;
    this.heard.set(id, { text: '', isEnded: false });
    const block = await this.#writer.write(new Map(Object.entries(headers)));
    this.socket.write(controlFrame(kinds.synStream, Buffer.concat([numbers(id, 0), Buffer.alloc(2), block])));
    return id;
  }

  send(id: number, text: string): void {
    this.socket.write(dataFrame(id, Buffer.from(text)));
  }

  end(id: number): void {
    this.socket.write(dataFrame(id, Buffer.alloc(0), FIN));
  }

  ping(id: number): void {
    this.socket.write(controlFrame(kinds.ping, numbers(id)));
  }

  #take(piece: Buffer): void {
    for (const frame of this.#frames.take(piece)) {
      if (frame.type === 'data') {
        const stream = this.heard.get(frame.streamId);
        if (stream === undefined) continue;
        stream.text += frame.data.toString();
        stream.isEnded ||= frame.isLast;
      } else if (frame.kind === kinds.rstStream) this.resets.push(streamIdIn(frame.body));
      else if (frame.kind === kinds.ping) this.pings.push(streamIdIn(frame.body));
      else if (frame.kind === kinds.synReply) void this.#reader.read(frame.body.subarray(4));
    }
  }
}
