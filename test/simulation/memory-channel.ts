import type { Batch, FrameChannel } from '../../src/actor/link.ts';
import { Queue, type Happening, type Owner, type VirtualTime } from './virtual-time.ts';

/** How long batches are under way between threads; a fault makes it longer. */
export interface LinkWeather {
  typicalMs: number;
}

/**
 * Both ends of a channel between two lives of threads, with what a pair of message ports promises: order is kept, nothing
 * is lost while both ends live, what was posted before its sender died still arrives, and what comes before anybody listens
 * is kept.
 */
export function channelPair(
  time: VirtualTime,
  ends: { readonly one: Owner; readonly other: Owner },
  weather: LinkWeather,
): readonly [FrameChannel, FrameChannel] {
  const one = new End(time, weather, ends.one);
  const other = new End(time, weather, ends.other);
  one.peer = other;
  other.peer = one;
  return [one, other];
}

class End implements FrameChannel {
  peer: End | undefined;
  readonly #time: VirtualTime;
  readonly #weather: LinkWeather;
  readonly #owner: Owner;
  /** Towards this end. */
  readonly #queue = new Queue();
  #listener: ((batch: Batch) => void) | undefined;
  #unread: Batch[] = [];
  readonly #underWay = new Set<Happening>();
  #closed = false;

  constructor(time: VirtualTime, weather: LinkWeather, owner: Owner) {
    this.#time = time;
    this.#weather = weather;
    this.#owner = owner;
  }

  post(batch: Batch): void {
    if (!this.#closed) this.peer?.deliver(batch);
  }

  deliver(batch: Batch): void {
    const at = this.#queue.after(this.#time.now + this.#time.spread(this.#weather.typicalMs));
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
    for (const batch of this.#unread.splice(0)) this.#listener?.(batch);
    this.#closed = true;
  }

  #arrived(batch: Batch): void {
    if (this.#closed) return;
    // Nothing may overtake what waits for a listener: until there is one, all of it waits.
    if (this.#listener === undefined) this.#unread.push(batch);
    else this.#listener(batch);
  }
}
