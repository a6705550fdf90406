import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { kindOf, type Address } from './message.ts';

/** Why a letter to an actor that has ended, or was never there, is not delivered. */
export const NOBODY_LIVES_THERE = 'nobody lives there';

const SAMPLE_EVERY_MS = 10_000;

interface Count {
  total: number;
  /** Not told of in the log yet. */
  untold: number;
  /** A line was written less than one period ago. */
  quiet: boolean;
}

/** Messages that reached nobody, counted per kind of receiver. The log hears of a sample: a flood of them must not become one of lines. */
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
    // An actor that has finished may still be written to by whoever has not heard of it; everything else is trouble.
    const level = sample.why === NOBODY_LIVES_THERE ? 'debug' : 'warn';
    this.#log[level]({ ...sample, letters: count.untold, total: count.total }, 'messages were not delivered');
    count.untold = 0;
    count.quiet = true;
    this.#clock.after(SAMPLE_EVERY_MS, () => {
      count.quiet = false;
      // Those that came meanwhile are told of together; the sample is of the same kind, if not the latest.
      if (count.untold > 0) this.#tell(count, sample);
    });
  }
}
