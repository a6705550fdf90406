import type { Duplex } from 'node:stream';
import { elapsedMs, type Clock, type MonotonicMs } from '../../actor/clock.ts';
import type { ConnectionPeers } from '../../host/tcp-peers.ts';

export interface JoinOptions {
  readonly clock: Clock;
  /** Both ends are closed after this long without a byte in either direction. 0: never. */
  readonly idleMs: number;
  /** Finds out that an end has gone whose bytes the other end does not take. */
  readonly peers: ConnectionPeers;
}

/**
 * How long the bytes of an end that has gone may stand still before both ends are closed, and how long the other end
 * may take to close after all of them.
 */
const LINGER_MS = 10_000;
/** How often an end whose bytes are not taken is looked at. */
const LOOK_EVERY_MS = 1_000;

/**
 * Copies bytes in both directions until one end has gone, and then closes both. Slows down an end that writes faster
 * than the other reads. An end has gone when it ends its direction, closes or breaks. The other end first gets the bytes
 * in flight, for as long as it takes them. Resolves when both are closed.
 */
export function joinStreams(client: Duplex, runtime: Duplex, options: JoinOptions): Promise<void> {
  return new Promise((resolve) => new Joint(client, runtime, options).begin(resolve));
}

class Joint {
  readonly #client: Duplex;
  readonly #runtime: Duplex;
  readonly #options: JoinOptions;
  readonly #open: Set<Duplex>;
  readonly #left = new Set<Duplex>();
  readonly #timers = new Map<string, () => void>();
  #lastByteAt: MonotonicMs;
  /** When an end last took bytes, since the other end has gone. */
  #lastTakenAt: MonotonicMs;
  /** Bytes that both ends had still to take at the last look. */
  #untaken = 0;
  /** `true` if the client has sent bytes since the runtime has gone. */
  #clientSends = false;

  constructor(client: Duplex, runtime: Duplex, options: JoinOptions) {
    this.#client = client;
    this.#runtime = runtime;
    this.#options = options;
    this.#open = new Set([client, runtime]);
    this.#lastByteAt = options.clock.monotonic();
    this.#lastTakenAt = this.#lastByteAt;
  }

  begin(over: () => void): void {
    if (this.#options.idleMs > 0) this.#after('idle', this.#options.idleMs, () => this.#lookIdle());
    const ends = [this.#client, this.#runtime] as const;
    for (const [from, to] of [ends, ends.toReversed()] as const) {
      if (from === undefined || to === undefined) continue;
      from.on('data', () => {
        this.#lastByteAt = this.#options.clock.monotonic();
        if (this.#left.has(from)) this.#lastTakenAt = this.#lastByteAt;
        else if (this.#left.has(this.#runtime)) this.#clientSends = true;
      });
      from.pipe(to);
      // An error without a listener would end the thread; `close` reports that the stream is gone.
      from.on('error', () => {});
      from.on('pause', () => this.#stalled(from));
      from.once('end', () => this.#leave(from));
      const closed = (): void => {
        this.#open.delete(from);
        this.#passRest(from, to);
        this.#leave(from);
        if (this.#open.size > 0) return;
        for (const stop of this.#timers.values()) stop();
        over();
      };
      if (from.closed) closed();
      else from.once('close', closed);
    }
  }

  /** What was read from a connection before it broke still arrives. */
  #passRest(from: Duplex, to: Duplex): void {
    if (to.destroyed || to.writableEnded) return;
    for (let piece = read(from); piece !== null; piece = read(from)) to.write(piece);
    to.end(() => {
      // The kernel would answer later bytes of a client with a reset, and the client lose what it has not read.
      if (to === this.#runtime || !this.#clientSends) to.destroy();
    });
    discard(to);
  }

  #leave(end: Duplex): void {
    if (this.#left.has(end)) return;
    this.#left.add(end);
    this.#lastTakenAt = this.#options.clock.monotonic();
    // A runtime that has ended reads no more. Unread bytes of the client would make the kernel reset the connection,
    // and the client lose what is on its way.
    if (end === this.#runtime) {
      this.#client.unpipe(this.#runtime);
      this.#runtime.end();
      discard(this.#client);
    }
    this.#untaken = this.#countUntaken();
    if (!this.#timers.has('linger')) this.#after('linger', LOOK_EVERY_MS, () => this.#lookLingering());
  }

  #lookLingering(): void {
    const now = this.#options.clock.monotonic();
    const untaken = this.#countUntaken();
    if (untaken < this.#untaken) this.#lastTakenAt = now;
    this.#untaken = untaken;
    if (elapsedMs(this.#lastTakenAt, now) >= LINGER_MS) this.#closeBoth();
    else this.#after('linger', LOOK_EVERY_MS, () => this.#lookLingering());
  }

  /** Only bytes from an end that has gone count: an end that talks on to it may not hold both open. */
  #countUntaken(): number {
    const { writableLength: ofRuntime } = this.#client;
    const { writableLength: ofClient } = this.#runtime;
    return (this.#left.has(this.#runtime) ? ofRuntime : 0) + (this.#left.has(this.#client) ? ofClient : 0);
  }

  #lookIdle(): void {
    const { clock, idleMs } = this.#options;
    const silentMs = elapsedMs(this.#lastByteAt, clock.monotonic());
    if (silentMs >= idleMs) this.#closeBoth();
    else this.#after('idle', idleMs - silentMs, () => this.#lookIdle());
  }

  /** While nothing is read from an end, its connection does not report that the peer has gone. */
  #stalled(end: Duplex): void {
    const name = end === this.#client ? 'stalled client' : 'stalled runtime';
    if (this.#left.has(end) || this.#timers.has(name)) return;
    this.#after(name, LOOK_EVERY_MS, () => {
      if (!end.isPaused() || !this.#open.has(end)) return;
      if (this.#options.peers.hasLeft(end)) this.#leave(end);
      else this.#stalled(end);
    });
  }

  #closeBoth(): void {
    this.#client.destroy();
    this.#runtime.destroy();
  }

  #after(name: string, delayMs: number, fire: () => void): void {
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(name);
      fire();
    });
    this.#timers.set(name, cancel);
  }
}

/** A stream without an encoding yields buffers. */
const read = (stream: Duplex): Buffer | null => stream.read() as Buffer | null;

const discard = (stream: Duplex): void => {
  if (!stream.destroyed) stream.resume();
};
