import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Frame } from './message.ts';

/** Carries batches of frames to one other thread. A `MessagePort` in the agent, a queue in a simulation. */
export interface FrameChannel {
  post(batch: Batch, transfer: readonly ArrayBuffer[]): void;
  /** `unreadable`: called instead for a batch that was sent and cannot be taken in. Batches come in the order they were sent. */
  onBatch(listener: (batch: Batch) => void, unreadable: () => void): void;
  /** Hands what has arrived to the listener first, then nothing any more. */
  close(): void;
}

/**
 * Frames, and how many frames of the other side have been taken in since the last batch (credits given back). `unreadable`:
 * which batches of the other side could not be read, counted from 1 on this channel.
 */
export type Batch = readonly [taken: number, frames: readonly Frame[], unreadable?: readonly number[]];

export function portChannel(port: MessagePort): FrameChannel {
  let listen: ((batch: Batch) => void) | undefined;
  return {
    post: (batch, transfer) => port.postMessage(batch, transfer as ArrayBuffer[]),
    onBatch(listener, unreadable) {
      listen = listener;
      port.on('message', listener);
      // Reading takes more of the stack than writing, and a main thread has less of it than a worker.
      port.on('messageerror', unreadable);
    },
    close() {
      // The last words of a thread that has ended; and a port closed with messages in it may keep their memory.
      for (let last = nextReadable(port); last !== undefined; last = nextReadable(port)) listen?.(last);
      port.close();
    },
  };
}

function nextReadable(port: MessagePort): Batch | undefined {
  for (;;) {
    try {
      // Both ends of a link write nothing else.
      return receiveMessageOnPort(port)?.message as Batch | undefined;
    } catch {
      // One that cannot be read is taken off the port all the same.
    }
  }
}

/** Frames that may be under way unread, without another number: beyond it the sender waits, so that a slow reader's memory stays bounded. */
const CREDITS = 8192;
/** Frames that may wait for credits; beyond this they are refused. */
const WAITING_LIMIT = 65_536;
const URGENT_LIMIT = 8_192;
/** Frames taken in without a word to their sender, who keeps them until then. */
const ACKNOWLEDGE_AFTER = 256;

export interface LinkOptions {
  /** Frames that may be under way unread; the same at both ends. Without it: 8,192. */
  readonly credits?: number;
  /** Runs `turn` when the code of this turn of the event loop is done: what was sent until then leaves together. */
  readonly later: (turn: () => void) => void;
  readonly deliver: (frame: Frame) => void;
  /** The channel refused this frame, or the other thread could not read it: it holds something that cannot be copied. */
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
  /** How many batches were sent, and received, on this channel. */
  #sent = 0;
  #received = 0;
  /** Sent and not acknowledged: if one cannot be read over there, its frames are sent again one by one. */
  #kept: { readonly number: number; readonly batch: Batch }[] = [];
  /** Batches of the other side that could not be read, and that it does not know of. */
  #unreadable: number[] = [];

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
    this.#sent = 0;
    this.#received = 0;
    this.#kept = [];
    this.#unreadable = [];
    channel.onBatch(
      (batch) => {
        if (this.#channel === channel) this.#takeIn(batch);
      },
      () => {
        if (this.#channel === channel) this.#couldNotRead();
      },
    );
    this.#scheduleFlush();
  }

  detach(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#kept = [];
  }

  /** Drops what waits for a thread that has ended, where it would make no sense to its successor. */
  dropWaiting(unwanted: (frame: Frame) => boolean): void {
    this.#outgoing = this.#outgoing.filter((frame) => !unwanted(frame));
    this.#urgent = this.#urgent.filter((frame) => !unwanted(frame));
  }

  #couldNotRead(): void {
    this.#unreadable.push(++this.#received);
    this.#scheduleFlush();
  }

  #takeIn([given, frames, unreadable]: Batch): void {
    this.#received++;
    this.#credits += given;
    // Those come first: the frames that were taken in are of the other batches.
    for (const number of unreadable ?? []) this.#sendAgain(number);
    this.#acknowledged(given);
    for (const frame of frames) this.#deliver(frame);
    this.#taken += frames.length;
    if (this.#taken >= Math.min(ACKNOWLEDGE_AFTER, this.#allowed / 4) || this.#outgoing.length > 0)
      this.#scheduleFlush();
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
    if (frames.length === 0 && this.#taken === 0 && this.#unreadable.length === 0) return;
    this.#outgoing = all ? [] : this.#outgoing.slice(usual.length);
    this.#credits -= frames.length;
    // Short of credits, buffers are copied: one must not move before the frame that holds it.
    const transfer = all ? this.#transfer : [];
    if (all) this.#transfer = [];
    const batch: Batch =
      this.#unreadable.length === 0 ? [this.#taken, frames] : [this.#taken, frames, this.#unreadable];
    this.#taken = 0;
    this.#unreadable = [];
    try {
      this.#post(this.#channel, batch, transfer);
    } catch {
      this.#postOneByOne(this.#channel, batch);
    }
  }

  /** Throws when something in it cannot be copied; then nothing was sent. */
  #post(channel: FrameChannel, batch: Batch, transfer: readonly ArrayBuffer[]): void {
    channel.post(batch, transfer);
    this.#sent++;
    // A batch without frames holds a few numbers: it can be read.
    if (batch[1].length > 0) this.#kept.push({ number: this.#sent, batch });
  }

  /** One frame that cannot be copied must not take the others of its batch with it. Buffers are copied here. */
  #postOneByOne(channel: FrameChannel, [taken, frames, unreadable]: Batch): void {
    if (taken > 0 || unreadable !== undefined)
      this.#post(channel, unreadable === undefined ? [taken, []] : [taken, [], unreadable], []);
    for (const frame of frames) {
      try {
        this.#post(channel, [0, [frame]], []);
      } catch (reason) {
        this.#credits++;
        this.#unsendable(frame, reason);
      }
    }
  }

  /** The other side has taken in so many frames, in the order in which they were sent. */
  #acknowledged(frames: number): void {
    let left = frames;
    for (let first = this.#kept[0]; first !== undefined && left > 0; first = this.#kept[0]) {
      left -= first.batch[1].length;
      this.#kept.shift();
    }
  }

  /** What the other side could not read: its frames one by one, and a single one not again. What came later overtakes them. */
  #sendAgain(number: number): void {
    const index = this.#kept.findIndex((each) => each.number === number);
    const [lost] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (lost === undefined || this.#channel === undefined) return;
    const [taken, frames, unreadable] = lost.batch;
    const [frame, ...others] = frames;
    if (frame !== undefined && others.length === 0) {
      this.#credits++;
      this.#unsendable(frame, new RangeError('the other thread cannot read it: it is nested too deeply'));
      this.#taken += taken;
      if (unreadable !== undefined) this.#unreadable.push(...unreadable);
      return this.#scheduleFlush();
    }
    this.#postOneByOne(this.#channel, lost.batch);
  }
}
