import type { Clock } from '../clock.ts';
import type { Tagged } from './message.ts';

/** An idle actor that has not read its own message within this time has lost it. */
const REPEAT_MS = 1_000;
/**
 * After this many checks an unread message is sent again, even while other messages keep waiting. It is still read once.
 */
const BUSY_CHECKS = 10;

export interface OwnMessagesOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Sends the message, the first time or again. */
  readonly send: (message: Tagged, trace: string | undefined) => void;
  /** `true` if messages wait to be read. The missing message may be among them. */
  readonly isBusy: () => boolean;
}

interface Unread {
  readonly trace: string | undefined;
  times: number;
  /** Checks since the message was last sent, while the actor was busy. */
  checks: number;
}

/**
 * The messages that an incarnation has sent to itself and not yet read. An actor that waits for its own report of
 * finished work would wait for ever for a lost one. So each message is sent again until it is read, and is read once
 * for each time it was sent.
 */
export class OwnMessages {
  readonly #options: OwnMessagesOptions;
  readonly #unread = new Map<Tagged, Unread>();
  /** Messages already unread when the timer was armed. Only these have had their full time. */
  #old = new Set<Tagged>();
  #disarm: (() => void) | undefined;

  constructor(options: OwnMessagesOptions) {
    this.#options = options;
  }

  say(message: Tagged, trace: string | undefined): void {
    const before = this.#unread.get(message);
    if (before === undefined) this.#unread.set(message, { trace, times: 1, checks: 0 });
    else before.times++;
    this.#arm();
    this.#options.send(message, trace);
  }

  /**
   * Returns `false` when the message was read as often as it was sent, or an earlier incarnation sent it. The caller
   * must then ignore it.
   */
  hears(message: Tagged): boolean {
    const unread = this.#unread.get(message);
    if (unread === undefined) return false;
    if (--unread.times === 0) this.#forget(message);
    return true;
  }

  /** Another message has taken its place in the mailbox. */
  replaced(message: Tagged): void {
    this.#forget(message);
  }

  #forget(message: Tagged): void {
    this.#unread.delete(message);
    this.#old.delete(message);
    if (this.#unread.size > 0) return;
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #arm(): void {
    this.#disarm ??= this.#options.clock.after(REPEAT_MS, () => this.#check());
  }

  #check(): void {
    this.#disarm = undefined;
    const isBusy = this.#options.isBusy();
    for (const message of this.#old) {
      const unread = this.#unread.get(message);
      if (unread === undefined || (isBusy && ++unread.checks < BUSY_CHECKS)) continue;
      unread.checks = 0;
      for (let time = 0; time < unread.times; time++) this.#options.send(message, unread.trace);
    }
    this.#old = new Set(this.#unread.keys());
    if (this.#unread.size > 0) this.#arm();
  }
}
