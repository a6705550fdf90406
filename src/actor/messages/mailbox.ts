import type { MailboxPolicy } from '../actor.ts';
import type { FaultCode } from '../fault.ts';
import type { Address, Tagged } from './message.ts';

/** Where an answer goes. Called at most once. */
export interface ReplyTo {
  answer(value: unknown): void;
  fault(code: FaultCode, detail: string): void;
}

/** A message on its way into a mailbox and in it. */
export interface Mail {
  message: Tagged;
  /** Empty when it comes from outside any actor. */
  from: Address;
  readonly reply: ReplyTo | undefined;
  key: string | undefined;
  /** What few messages have: millions a second do not carry room for it. */
  mark: Mark | undefined;
}

export interface Mark {
  readonly trace?: string;
  /** When it came into the mailbox, if it is traced. */
  at?: number;
  /** Set by a fault on purpose: reading it throws this. */
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

/** Urgent messages that may wait, beside what else does. They are few by nature: stops and kills. */
const URGENT_CAPACITY = 1_024;

/** A bounded queue with a rule for what happens when it is full. Never grows beyond its capacity. */
export class Mailbox {
  readonly #policy: MailboxPolicy;
  /** Those that a later one with the same key replaces. */
  #byKey: Map<string, Mail> | undefined;
  readonly #usual = new Queue();
  #urgent: Queue | undefined;
  #coalesced = 0;
  /** What the last message that was offered has taken the place of. */
  replaced: Tagged | undefined = undefined;

  constructor(policy: MailboxPolicy) {
    this.#policy = policy;
  }

  get depth(): number {
    return this.#usual.length + (this.#urgent?.length ?? 0);
  }

  /** How many messages have been replaced by a later one with the same key. */
  get coalesced(): number {
    return this.#coalesced;
  }

  /** False: it was full, and the message was refused. Urgent messages are read before all others. */
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

  /** Nobody will read what is left. */
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

/** First in, first out. Room that is not needed any more is given back. */
class Queue {
  /** Thousands of actors have nothing to read: they share this. */
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
      // A short array is used again; a long one was a burst.
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
