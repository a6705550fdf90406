import type { Clock } from '../clock.ts';
import type { Tagged } from './message.ts';

/** A message that is not read within this long by an actor with nothing else to read has been lost. */
const SAY_AGAIN_MS = 1_000;
/** One that is still not read after so many looks is said again also where others always wait: it is read once all the same. */
const BUSY_LOOKS = 10;

export interface OwnMessagesOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Puts it on its way (again). */
  readonly send: (message: Tagged, trace: string | undefined) => void;
  /** Whether messages wait to be read: then what is missing may be among them. */
  readonly isBusy: () => boolean;
}

interface Unread {
  readonly trace: string | undefined;
  times: number;
  /** Since it was said last, while the actor was busy. */
  looks: number;
}

/**
 * What an incarnation has told itself and not read yet. An actor that waits for its own word that some work has ended would
 * wait for ever for one that was lost, so it is said again until it is read; and read once for each time it was told.
 */
export class OwnMessages {
  readonly #options: OwnMessagesOptions;
  readonly #unread = new Map<Tagged, Unread>();
  /** Unread already when the timer was armed: only those have had their time. */
  #old = new Set<Tagged>();
  #disarm: (() => void) | undefined;

  constructor(options: OwnMessagesOptions) {
    this.#options = options;
  }

  say(message: Tagged, trace: string | undefined): void {
    const before = this.#unread.get(message);
    if (before === undefined) this.#unread.set(message, { trace, times: 1, looks: 0 });
    else before.times++;
    this.#arm();
    this.#options.send(message, trace);
  }

  /** False: it has been read as often as it was told, or an earlier incarnation told it. Nobody is to act upon it. */
  hears(message: Tagged): boolean {
    const unread = this.#unread.get(message);
    if (unread === undefined) return false;
    if (--unread.times === 0) this.#forget(message);
    return true;
  }

  /** Another one has taken its place in the mailbox. */
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
    this.#disarm ??= this.#options.clock.after(SAY_AGAIN_MS, () => this.#look());
  }

  #look(): void {
    this.#disarm = undefined;
    const isBusy = this.#options.isBusy();
    for (const message of this.#old) {
      const unread = this.#unread.get(message);
      if (unread === undefined || (isBusy && ++unread.looks < BUSY_LOOKS)) continue;
      unread.looks = 0;
      for (let time = 0; time < unread.times; time++) this.#options.send(message, unread.trace);
    }
    this.#old = new Set(this.#unread.keys());
    if (this.#unread.size > 0) this.#arm();
  }
}
