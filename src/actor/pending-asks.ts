import type { Clock } from './clock.ts';
import { ActorFault, type FaultCode } from './fault.ts';

interface NewAsk {
  /** Where the callee lives. */
  readonly thread: string;
  /** For the text of a fault. */
  readonly callee: string;
  readonly question: string;
  readonly deadlineMs: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (fault: ActorFault) => void;
}

const describe = (ask: NewAsk): string => `${ask.question} of ${ask.callee}`;

/** Deadlines are looked at this often: an ask may be told of its deadline up to twice this much late, never early. */
const SWEEP_MS = 50;

/** The questions of one thread that wait for an answer. One timer serves them all, and none when nobody waits. */
export class PendingAsks {
  readonly #clock: Clock;
  readonly #pending = new Map<number, NewAsk>();
  readonly #buckets = new Map<number, number[]>();
  #sweepArmed = false;
  #lastId: number;

  /** `firstId`: larger than any ID of an earlier life of the thread, so that a late answer to that one finds nobody. */
  constructor(clock: Clock, firstId: number) {
    this.#clock = clock;
    this.#lastId = firstId;
  }

  get size(): number {
    return this.#pending.size;
  }

  add(ask: NewAsk): number {
    const id = ++this.#lastId;
    const deadline = this.#clock.monotonic() + ask.deadlineMs;
    this.#pending.set(id, ask);
    const bucket = Math.ceil(deadline / SWEEP_MS);
    const ids = this.#buckets.get(bucket);
    if (ids === undefined) this.#buckets.set(bucket, [id]);
    else ids.push(id);
    this.#arm();
    return id;
  }

  answer(id: number, value: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return; // too late: the deadline has passed and the asker knows
    this.#pending.delete(id);
    pending.resolve(value);
  }

  fault(id: number, code: FaultCode, detail: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.reject(new ActorFault(code, detail));
  }

  /** Every question towards `thread` is settled at once: nobody is left there to answer. */
  threadEnded(thread: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.thread === thread)
        this.fault(id, 'thread-ended', `thread ${thread} ended while it worked on ${describe(pending)}`);
    }
  }

  #arm(): void {
    if (this.#sweepArmed || this.#pending.size === 0) return;
    this.#sweepArmed = true;
    this.#clock.after(SWEEP_MS, () => {
      this.#sweepArmed = false;
      this.#sweep();
      this.#arm();
    });
  }

  #sweep(): void {
    // All that is left belongs to questions already answered.
    if (this.#pending.size === 0) return this.#buckets.clear();
    const now = this.#clock.monotonic();
    const due = Math.floor(now / SWEEP_MS);
    for (const [bucket, ids] of this.#buckets) {
      if (bucket > due) continue;
      this.#buckets.delete(bucket);
      for (const id of ids) {
        const pending = this.#pending.get(id);
        if (pending !== undefined)
          this.fault(id, 'deadline-exceeded', `no answer to ${describe(pending)} within its deadline`);
      }
    }
  }
}
