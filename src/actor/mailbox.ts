import type { MailboxPolicy } from './actor.ts';
import type { Tagged } from './message.ts';

/** Where an answer goes. Called at most once. */
export interface ReplyTo {
  answer(value: unknown): void;
  fault(code: 'callee-ended' | 'overloaded' | 'no-such-actor', detail: string): void;
}

export interface Mail {
  message: Tagged;
  readonly reply: ReplyTo | undefined;
  readonly key: string | undefined;
}

/** A bounded queue with a rule for what happens when it is full. Never grows beyond its capacity. */
export class Mailbox {
  readonly #policy: MailboxPolicy;
  readonly #waiting = new Map<string, Mail>();
  #items: (Mail | undefined)[] = [];
  #head = 0;

  constructor(policy: MailboxPolicy) {
    this.#policy = policy;
  }

  get depth(): number {
    return this.#items.length - this.#head;
  }

  /** False: it was full, and the message was refused. */
  offer(message: Tagged, reply: ReplyTo | undefined): boolean {
    const key = reply === undefined ? this.#policy.coalesce?.(message) : undefined;
    if (key !== undefined) {
      const earlier = this.#waiting.get(key);
      if (earlier !== undefined) {
        earlier.message = message;
        return true;
      }
    }
    if (this.depth >= this.#policy.capacity) return false;
    const mail: Mail = { message, reply, key };
    if (key !== undefined) this.#waiting.set(key, mail);
    this.#items.push(mail);
    return true;
  }

  take(): Mail | undefined {
    const mail = this.#items[this.#head];
    if (mail === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (mail.key !== undefined) this.#waiting.delete(mail.key);
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return mail;
  }
}
