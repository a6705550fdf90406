import type { MonotonicMs } from '../clock.ts';
import type { MailboxPolicy } from '../actor.ts';
import type { FaultCode } from '../fault.ts';
import type { Address, Tagged } from './message.ts';

/** The destination of an answer. Called at most once. */
export interface ReplyTo {
  answer(value: unknown): void;
  fault(code: FaultCode, detail: string): void;
}

/** A message in transit or in a mailbox. */
export interface Mail {
  message: Tagged;
  /** Empty when the sender is no actor. */
  from: Address;
  readonly reply: ReplyTo | undefined;
  key: string | undefined;
  /** Rarely used fields. Kept apart, because millions of messages per second should not carry room for them. */
  mark: Mark | undefined;
}

export interface Mark {
  readonly trace?: string;
  /** The instant at which the message entered the mailbox, if it is traced. */
  at?: MonotonicMs;
  /** Set by fault injection: reading the message throws this. */
  readonly poison?: string;
}

export const markOf = (trace: string | undefined): Mark | undefined => (trace === undefined ? undefined : { trace });

export const mailOf = (message: Tagged, from: Address, reply?: ReplyTo): Mail => ({
  message,
  from,
  reply,
  key: undefined,
  mark: undefined,
});

/** Urgent messages that may wait, beside the normal ones. They are few by nature: stops and kills. */
const URGENT_CAPACITY = 1_024;

/** A bounded queue with a rule for a full mailbox. Never grows beyond its capacity. */
export class Mailbox {
  readonly #policy: MailboxPolicy;
  /** Waiting messages that a later message with the same key replaces. */
  #byKey: Map<string, Mail> | undefined;
  readonly #usual = new Queue();
  #urgent: Queue | undefined;
  #coalesced = 0;
  /** The message that the last offered message replaced. */
  replaced: Tagged | undefined = undefined;

  constructor(policy: MailboxPolicy) {
    this.#policy = policy;
  }

  get depth(): number {
    return this.#usual.length + (this.#urgent?.length ?? 0);
  }

  /** How many messages were replaced by a later one with the same key. */
  get coalesced(): number {
    return this.#coalesced;
  }

  /**
   * Returns `false` when the mailbox was full and the message was refused. Urgent messages are read before all others.
   */
  offer(mail: Mail, urgency: 'usual' | 'urgent' = 'usual'): boolean {
    this.replaced = undefined;
    if (urgency === 'urgent') {
      this.#urgent ??= new Queue();
      if (this.#urgent.length >= URGENT_CAPACITY) return false;
      this.#urgent.push(mail);
      return true;
    }
    const key = mail.reply === undefined ? this.#policy.coalesce?.(mail.message) : undefined;
    if (key !== undefined) {
      const earlier = this.#byKey?.get(key);
      if (earlier !== undefined) {
        this.replaced = earlier.message;
        earlier.message = mail.message;
        earlier.from = mail.from;
        earlier.mark = mail.mark;
        this.#coalesced++;
        return true;
      }
    }
    if (this.#usual.length >= this.#policy.capacity) return false;
    mail.key = key;
    if (key !== undefined) (this.#byKey ??= new Map()).set(key, mail);
    this.#usual.push(mail);
    return true;
  }

  /** Refuses the remaining messages, which no incarnation will read. */
  refuseAll(why: string): void {
    for (let mail = this.take(); mail !== undefined; mail = this.take()) mail.reply?.fault('no-such-actor', why);
  }

  take(): Mail | undefined {
    const mail = this.#urgent?.take() ?? this.#usual.take();
    if (mail?.key !== undefined) this.#byKey?.delete(mail.key);
    return mail;
  }
}

const NOTHING: (Mail | undefined)[] = [];

/** First in, first out. Frees room that is no longer needed. */
class Queue {
  /** Thousands of actors have nothing to read. They share this array. */
  #items: (Mail | undefined)[] = NOTHING;
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(mail: Mail): void {
    if (this.#items === NOTHING) this.#items = [mail];
    else this.#items.push(mail);
  }

  take(): Mail | undefined {
    const mail = this.#items[this.#head];
    if (mail === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      // A short array is reused. A long one belongs to a burst and is freed.
      if (this.#items.length <= 64) this.#items.length = 0;
      else this.#items = NOTHING;
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return mail;
  }
}
