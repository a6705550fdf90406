import type { Batch, FrameChannel } from '../../../src/actor/messages/link.ts';
import { Queue, type Happening, type Owner, type VirtualTime } from './virtual-time.ts';

/** How long batches are under way between threads; a fault makes it longer. */
export interface LinkWeather {
  typicalMs: number;
}

export interface ChannelOptions {
  readonly weather: LinkWeather;
  /** Sees a batch before it leaves, and how many frames of those that have left earlier were not taken in yet. */
  readonly leaves: (batch: Batch, unread: number) => void;
}

/**
 * Both ends of a channel between two lives of threads, with what a pair of message ports promises: order is kept, nothing
 * is lost while both ends live, what was posted before its sender died still arrives, and what comes before anybody listens
 * is kept.
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
  /** Frames that have left here, and that the other side has not said to have taken in. */
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

  /** What was posted before is still handed over, as when a port is closed. */
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
    // Nothing may overtake what waits for a listener: until there is one, all of it waits.
    if (this.#listener === undefined) this.#unread.push(batch);
    else this.#hand(batch);
  }

  #hand(batch: Batch): void {
    this.#unreadThere -= batch[0];
    this.#listener?.(batch);
  }
}
