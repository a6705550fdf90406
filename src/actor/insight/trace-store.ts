import type { MonotonicMs } from '../clock.ts';
import type { Address } from '../messages/message.ts';

/**
 * One message of a trace, as the reader's thread recorded it. Instants are on the monotonic scale that all threads
 * share.
 */
export interface TraceStep {
  readonly trace: string;
  readonly thread: string;
  readonly from: Address;
  readonly to: Address;
  readonly message: string;
  /** The subject of the message, when its type alone does not name it. */
  readonly about?: string;
  readonly question: boolean;
  /** The instant at which it entered the mailbox. */
  readonly at: MonotonicMs;
  readonly waitedMs: number;
  /** How long the reader's turn took. Work that it started may have gone on. */
  readonly handledMs: number;
}

/** The last traced messages of a thread. Never more than its capacity: the oldest are dropped. */
export class TraceStore {
  readonly #steps: TraceStep[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity = 8_192) {
    this.#capacity = capacity;
  }

  add(step: TraceStep): void {
    this.#steps[this.#next] = step;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Returns the steps in order of arrival. */
  of(trace: string): readonly TraceStep[] {
    return this.#steps.filter((step) => step.trace === trace).toSorted((one, other) => one.at - other.at);
  }
}
