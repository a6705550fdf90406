import type { Batch, FrameChannel } from '../../src/actor/messages/link.ts';

/** One end of a channel in memory, with members for the test. */
export interface ChannelEnd extends FrameChannel {
  /** Every batch sent from this end. */
  readonly posted: Batch[];
  readonly closed: boolean;
}

class End implements ChannelEnd {
  readonly posted: Batch[] = [];
  closed = false;
  peer: End | undefined;
  readonly #later: (turn: () => void) => void;
  readonly #unread: Batch[] = [];
  #listener: ((batch: Batch) => void) | undefined;

  constructor(later: (turn: () => void) => void) {
    this.#later = later;
  }

  post(batch: Batch, transfer: readonly ArrayBuffer[]): void {
    const copy = structuredClone(batch, { transfer: [...transfer] });
    this.posted.push(copy);
    this.#later(() => this.peer?.receive(copy));
  }

  onBatch(listener: (batch: Batch) => void): void {
    this.#listener = listener;
    for (const batch of this.#unread.splice(0)) listener(batch);
  }

  receive(batch: Batch): void {
    if (this.closed) return;
    if (this.#listener === undefined) this.#unread.push(batch);
    else this.#listener(batch);
  }

  close(): void {
    this.closed = true;
    if (this.peer !== undefined) this.peer.closed = true;
  }
}

/**
 * A fake for two joined message ports: copies posted messages, keeps them until there is a listener, and delivers nothing once
 * either end is closed. `later` delays the arrival of a posted batch.
 */
export function channelPair(later: (turn: () => void) => void = setImmediate): readonly [ChannelEnd, ChannelEnd] {
  const one = new End(later);
  const other = new End(later);
  one.peer = other;
  other.peer = one;
  return [one, other];
}
