import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { kindOf, type Address } from './message.ts';

/** The reasons why a message to an ended or unknown actor is not delivered. */
export const NO_SUCH_ACTOR = 'there is no such actor';

const SAMPLE_EVERY_MS = 10_000;

interface Count {
  total: number;
  /** Messages not yet reported in the log. */
  untold: number;
  /** `true` if a line was written less than one period ago. */
  quiet: boolean;
}

/**
 * Counts undelivered messages per kind of receiver. The log gets a sample: a flood of messages must not become a flood
 * of lines.
 */
export class DeadLetters {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kinds = new Map<string, Count>();
  #total = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get total(): number {
    return this.#total;
  }

  get byKind(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#kinds].map(([kind, { total }]) => [kind, total]));
  }

  add(to: Address, type: string, why: string): void {
    const kind = kindOf(to);
    let count = this.#kinds.get(kind);
    if (count === undefined) this.#kinds.set(kind, (count = { total: 0, untold: 0, quiet: false }));
    this.#total++;
    count.total++;
    count.untold++;
    if (!count.quiet) this.#tell(count, { to, message: type, why });
  }

  #tell(count: Count, sample: { readonly to: Address; readonly message: string; readonly why: string }): void {
    // Senders may still write to an actor that has just finished, until they learn of its end. Any other reason is
    // trouble.
    const level = sample.why === NO_SUCH_ACTOR ? 'debug' : 'warn';
    this.#log[level]({ ...sample, letters: count.untold, total: count.total }, 'messages not delivered; dropped');
    count.untold = 0;
    count.quiet = true;
    this.#clock.after(SAMPLE_EVERY_MS, () => {
      count.quiet = false;
      // Messages of the quiet period are reported together. The sample is of the same kind, if not the latest.
      if (count.untold > 0) this.#tell(count, sample);
    });
  }
}
