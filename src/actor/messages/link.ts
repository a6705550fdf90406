import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Frame } from './message.ts';

/** Carries batches of frames to one other thread. A `MessagePort` in the agent, a queue in a simulation. */
export interface FrameChannel {
  post(batch: Batch, transfer: readonly ArrayBuffer[]): void;
  /**
   * `unreadable` is called instead for a batch that was sent but cannot be read. Batches come in the order they were
   * sent.
   */
  onBatch(listener: (batch: Batch) => void, unreadable: () => void): void;
  /** Delivers what has arrived to the listener first, and nothing after that. */
  close(): void;
}

/**
 * Frames, and how many frames of the other side were taken in since the last batch (credits returned). `unreadable`
 * lists the batches of the other side that could not be read, counted from 1 on this channel.
 */
export type Batch = readonly [taken: number, frames: readonly Frame[], unreadable?: readonly number[]];

export function portChannel(port: MessagePort): FrameChannel {
  let listen: ((batch: Batch) => void) | undefined;
  return {
    // Nothing but buffers is ever transferred; Node's types ask for a mutable list.
    post: (batch, transfer) => port.postMessage(batch, transfer as ArrayBuffer[]),
    onBatch(listener, unreadable) {
      listen = listener;
      port.on('message', listener);
      // Reading needs more stack than writing, and a main thread has less of it than a worker.
      port.on('messageerror', unreadable);
    },
    close() {
      // Reads the last messages of a thread that has ended. Also, a port closed with messages in it may keep their
      // memory.
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
      // An unreadable message is still taken off the port.
    }
  }
}

/**
 * Frames that may be in transit unread, unless another number is set. Beyond it the sender waits, so that a slow
 * reader's memory stays bounded.
 */
const CREDITS = 8192;
/** Frames that may wait for credits. Further frames are refused. */
const WAITING_LIMIT = 65_536;
const URGENT_LIMIT = 8_192;
/** Frames taken in before their sender gets an acknowledgement. The sender keeps them until then. */
const ACKNOWLEDGE_AFTER = 256;

export interface LinkOptions {
  /** Frames that may be in transit unread; the same at both ends. Default: 8,192. */
  readonly credits?: number;
  /** Runs `turn` at the end of the current turn of the event loop. All frames sent until then leave together. */
  readonly later: (turn: () => void) => void;
  readonly deliver: (frame: Frame) => void;
  /**
   * Called for a frame that the channel refused or the other thread could not read. It holds something that cannot be
   * copied.
   */
  readonly unsendable: (frame: Frame, reason: unknown) => void;
}

/**
 * A bidirectional link to another thread. Frames of one event-loop turn leave in one message. While the other thread is
 * down there is no channel, and frames wait (bounded) for its successor.
 */
export class Link {
  readonly #later: (turn: () => void) => void;
  readonly #deliver: (frame: Frame) => void;
  readonly #unsendable: (frame: Frame, reason: unknown) => void;
  #channel: FrameChannel | undefined;
  #outgoing: Frame[] = [];
  /**
   * Urgent frames leave before all others and need no credits. They are few, and must get through when everything else
   * is stuck.
   */
  #urgent: Frame[] = [];
  #transfer: ArrayBuffer[] = [];
  readonly #allowed: number;
  #credits: number;
  #taken = 0;
  #flushScheduled = false;
  /** How many batches were sent on this channel; `#received` counts received batches. */
  #sent = 0;
  #received = 0;
  /** Batches sent and not acknowledged. If the other side cannot read a batch, its frames are sent again one by one. */
  #kept: { readonly number: number; readonly batch: Batch }[] = [];
  /** Batches of the other side that could not be read and are not yet reported to it. */
  #unreadable: number[] = [];

  constructor(options: LinkOptions) {
    this.#allowed = options.credits ?? CREDITS;
    this.#credits = this.#allowed;
    this.#later = options.later;
    this.#deliver = options.deliver;
    this.#unsendable = options.unsendable;
  }

  /** Returns `false` when the frame is refused because too many frames wait already. */
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

  /** Drops the frames that wait for an ended thread and would make no sense to its successor. */
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
    // Unreadable batches are handled first: the frames that were taken in belong to the other batches.
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
    // When credits are short, buffers are copied: a buffer must not move before the frame that holds it.
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

  /** Throws when something in the batch cannot be copied. Nothing was sent then. */
  #post(channel: FrameChannel, batch: Batch, transfer: readonly ArrayBuffer[]): void {
    channel.post(batch, transfer);
    this.#sent++;
    // A batch without frames holds a few numbers, so it can always be read.
    if (batch[1].length > 0) this.#kept.push({ number: this.#sent, batch });
  }

  /** One frame that cannot be copied must not take the other frames of its batch with it. Buffers are copied here. */
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

  /** The other side has taken in this many frames, in the order in which they were sent. */
  #acknowledged(frames: number): void {
    let left = frames;
    for (let first = this.#kept[0]; first !== undefined && left > 0; first = this.#kept[0]) {
      left -= first.batch[1].length;
      this.#kept.shift();
    }
  }

  /**
   * Sends the frames of a batch that the other side could not read again, one by one. A single frame is not sent again.
   * Later frames overtake them.
   */
  #sendAgain(number: number): void {
    const index = this.#kept.findIndex((each) => each.number === number);
    const [lost] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (lost === undefined || this.#channel === undefined) return;
    const [taken, frames, unreadable] = lost.batch;
    const [frame, ...others] = frames;
    if (frame !== undefined && others.length === 0) {
      this.#credits++;
      this.#unsendable(frame, new RangeError('the other thread cannot read the message: it is nested too deeply'));
      this.#taken += taken;
      if (unreadable !== undefined) this.#unreadable.push(...unreadable);
      return this.#scheduleFlush();
    }
    this.#postOneByOne(this.#channel, lost.batch);
  }
}
