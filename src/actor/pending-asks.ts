import { ActorFault, type FaultCode } from './fault.ts';
import type { TimerWheel, WheelTimer } from './timer-wheel.ts';

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

interface Pending extends NewAsk {
  readonly deadline: WheelTimer;
}

/** The questions of one thread that wait for an answer. */
export class PendingAsks {
  readonly #wheel: TimerWheel;
  readonly #pending = new Map<number, Pending>();
  #lastId: number;

  /** `firstId`: larger than any ID of an earlier life of the thread, so that a late answer to that one finds nobody. */
  constructor(wheel: TimerWheel, firstId: number) {
    this.#wheel = wheel;
    this.#lastId = firstId;
  }

  get size(): number {
    return this.#pending.size;
  }

  add(ask: NewAsk): number {
    const id = ++this.#lastId;
    const { thread, callee, question, deadlineMs, resolve, reject } = ask;
    const deadline = this.#wheel.arm(deadlineMs, () =>
      this.fault(id, 'deadline-exceeded', `no answer to ${describe(ask)} within ${deadlineMs} ms`),
    );
    this.#pending.set(id, { thread, callee, question, deadlineMs, resolve, reject, deadline });
    return id;
  }

  answer(id: number, value: unknown): void {
    // Nobody: too late, the deadline has passed and the asker knows.
    this.#settle(id)?.resolve(value);
  }

  fault(id: number, code: FaultCode, detail: string): void {
    this.#settle(id)?.reject(new ActorFault(code, detail));
  }

  /** Every question towards `thread` is settled at once: nobody is left there to answer. */
  threadEnded(thread: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.thread === thread)
        this.fault(id, 'thread-ended', `thread ${thread} ended while it worked on ${describe(pending)}`);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#wheel.cancel(pending.deadline);
    return pending;
  }
}
