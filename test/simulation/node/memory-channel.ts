import type { Batch, FrameChannel } from '../../../src/actor/messages/link.ts';
import { Queue, type Happening, type Owner, type VirtualTime } from './virtual-time.ts';

/** The latency of batches between threads; a fault increases it. */
export interface LinkWeather {
  typicalMs: number;
}

export interface ChannelOptions {
  readonly weather: LinkWeather;
  /** Observes a batch before it is sent, and the number of earlier frames not yet consumed. */
  readonly leaves: (batch: Batch, unread: number) => void;
}

/**
 * Both ends of a channel between two incarnations of threads, with the guarantees of a message port: order is kept, nothing
 * is lost while both ends live, messages posted before their sender died still arrive, and messages that arrive before a
 * listener exists are kept.
 */
export function channelPair(
  time: VirtualTime,
  ends: { readonly one: Owner; readonly other: Owner },
  options: ChannelOptions,
): readonly [FrameChannel, FrameChannel] {
  const one = new End(time, options, ends.one);
  const other = new End(time, options, ends.other);
  one.peer = other;
  other.peer = one;
  return [one, other];
}

class End implements FrameChannel {
  peer: End | undefined;
  readonly #time: VirtualTime;
  readonly #options: ChannelOptions;
  readonly #owner: Owner;
  /** Towards this end. */
  readonly #queue = new Queue();
  #listener: ((batch: Batch) => void) | undefined;
  #unread: Batch[] = [];
  readonly #underWay = new Set<Happening>();
  /** Frames sent from this end that the other end has not acknowledged. */
  #unreadThere = 0;
  #closed = false;

  constructor(time: VirtualTime, options: ChannelOptions, owner: Owner) {
    this.#time = time;
    this.#options = options;
    this.#owner = owner;
  }

  post(batch: Batch): void {
    if (this.#closed) return;
    this.#options.leaves(batch, this.#unreadThere);
    this.#unreadThere += batch[1].length;
    this.peer?.deliver(batch);
  }

  deliver(batch: Batch): void {
    const at = this.#queue.after(this.#time.now + this.#time.spread(this.#options.weather.typicalMs));
    const run = (): void => {
      this.#underWay.delete(happening);
      this.#arrived(batch);
    };
    const happening = this.#time.at(at, this.#owner, { label: `batch of ${batch[1].length}`, run });
    this.#underWay.add(happening);
  }

  onBatch(listener: (batch: Batch) => void): void {
    this.#listener = listener;
    for (const batch of this.#unread.splice(0)) this.deliver(batch);
  }

  /** Messages posted before are still delivered, as when a port is closed. */
  close(): void {
    for (const happening of this.#underWay) {
      const { run } = happening;
      happening.run = undefined;
      run?.();
    }
    for (const batch of this.#unread.splice(0)) this.#hand(batch);
    this.#closed = true;
  }

  #arrived(batch: Batch): void {
    if (this.#closed) return;
    // Messages wait in order until a listener exists.
    if (this.#listener === undefined) this.#unread.push(batch);
    else this.#hand(batch);
  }

  #hand(batch: Batch): void {
    this.#unreadThere -= batch[0];
    this.#listener?.(batch);
  }
}
