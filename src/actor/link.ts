import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Frame } from './message.ts';

/** Carries batches of frames to one other thread. A `MessagePort` in the agent, a queue in a simulation. */
export interface FrameChannel {
  post(batch: Batch, transfer: readonly ArrayBuffer[]): void;
  onBatch(listener: (batch: Batch) => void): void;
  /** Hands what has arrived to the listener first, then nothing any more. */
  close(): void;
}

/** Frames, and how many frames of the other side have been taken in since the last batch (credits given back). */
export type Batch = readonly [taken: number, frames: readonly Frame[]];

export function portChannel(port: MessagePort): FrameChannel {
  let listen: ((batch: Batch) => void) | undefined;
  return {
    post: (batch, transfer) => port.postMessage(batch, transfer as ArrayBuffer[]),
    onBatch(listener) {
      listen = listener;
      port.on('message', listener);
    },
    close() {
      // The last words of a thread that has ended; and a port closed with messages in it may keep their memory.
      for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port)) {
        // Both ends of a link write nothing else.
        listen?.(last.message as Batch);
      }
      port.close();
    },
  };
}

/** Frames that may be under way unread, without another number: beyond it the sender waits, so that a slow reader's memory stays bounded. */
const CREDITS = 8192;
/** Frames that may wait for credits; beyond this they are refused. */
const WAITING_LIMIT = 65_536;
const URGENT_LIMIT = 8_192;

export interface LinkOptions {
  /** Frames that may be under way unread; the same at both ends. Without it: 8,192. */
  readonly credits?: number;
  /** Runs `turn` when the code of this turn of the event loop is done: what was sent until then leaves together. */
  readonly later: (turn: () => void) => void;
  readonly deliver: (frame: Frame) => void;
  /** The channel refused this frame: it holds something that cannot be copied. */
  readonly unsendable: (frame: Frame, reason: unknown) => void;
}

/**
 * One direction-aware link to another thread: frames of one event-loop turn leave in one message. While the other thread
 * is down there is no channel, and frames wait (bounded) for its successor.
 */
export class Link {
  readonly #later: (turn: () => void) => void;
  readonly #deliver: (frame: Frame) => void;
  readonly #unsendable: (frame: Frame, reason: unknown) => void;
  #channel: FrameChannel | undefined;
  #outgoing: Frame[] = [];
  /** Leave before all others, and need no credits: they are few, and must get through when all else is stuck. */
  #urgent: Frame[] = [];
  #transfer: ArrayBuffer[] = [];
  readonly #allowed: number;
  #credits: number;
  #taken = 0;
  #flushScheduled = false;

  constructor(options: LinkOptions) {
    this.#allowed = options.credits ?? CREDITS;
    this.#credits = this.#allowed;
    this.#later = options.later;
    this.#deliver = options.deliver;
    this.#unsendable = options.unsendable;
  }

  /** False: refused, too much is waiting already. */
  send(frame: Frame, transfer: readonly ArrayBuffer[] = [], urgency: 'usual' | 'urgent' = 'usual'): boolean {
    if (urgency === 'urgent') {
      if (this.#urgent.length >= URGENT_LIMIT) return false;
      this.#urgent.push(frame);
      this.#scheduleFlush();
      return true;
    }
    if (this.#outgoing.length >= WAITING_LIMIT) return false;
    this.#outgoing.push(frame);
    for (const buffer of transfer) this.#transfer.push(buffer);
    this.#scheduleFlush();
    return true;
  }

  attach(channel: FrameChannel): void {
    this.#channel?.close();
    this.#channel = channel;
    this.#credits = this.#allowed;
    this.#taken = 0;
    channel.onBatch((batch) => {
      if (this.#channel === channel) this.#takeIn(batch);
    });
    this.#scheduleFlush();
  }

  detach(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  /** Drops what waits for a thread that has ended, where it would make no sense to its successor. */
  dropWaiting(unwanted: (frame: Frame) => boolean): void {
    this.#outgoing = this.#outgoing.filter((frame) => !unwanted(frame));
    this.#urgent = this.#urgent.filter((frame) => !unwanted(frame));
  }

  #takeIn([given, frames]: Batch): void {
    this.#credits += given;
    for (const frame of frames) this.#deliver(frame);
    this.#taken += frames.length;
    if (this.#taken >= this.#allowed / 4 || this.#outgoing.length > 0) this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#channel === undefined) return;
    this.#flushScheduled = true;
    this.#later(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#channel === undefined) return;
    const all = this.#outgoing.length <= this.#credits;
    const usual = all ? this.#outgoing : this.#outgoing.slice(0, Math.max(0, this.#credits));
    const frames = this.#urgent.length === 0 ? usual : [...this.#urgent, ...usual];
    this.#urgent = [];
    if (frames.length === 0 && this.#taken === 0) return;
    this.#outgoing = all ? [] : this.#outgoing.slice(usual.length);
    this.#credits -= frames.length;
    // Short of credits, buffers are copied: one must not move before the frame that holds it.
    const transfer = all ? this.#transfer : [];
    if (all) this.#transfer = [];
    const batch: Batch = [this.#taken, frames];
    this.#taken = 0;
    try {
      this.#channel.post(batch, transfer);
    } catch {
      this.#postOneByOne(this.#channel, batch);
    }
  }

  /** One frame that cannot be copied must not take the others of its batch with it. Buffers are copied here. */
  #postOneByOne(channel: FrameChannel, [taken, frames]: Batch): void {
    if (taken > 0) channel.post([taken, []], []);
    for (const frame of frames) {
      try {
        channel.post([0, [frame]], []);
      } catch (reason) {
        this.#credits++;
        this.#unsendable(frame, reason);
      }
    }
  }
}
