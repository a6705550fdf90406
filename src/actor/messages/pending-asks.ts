import { ActorFault, type FaultCode } from '../fault.ts';
import type { TimerWheel, WheelTimer } from '../timer-wheel.ts';

interface NewAsk {
  /** The thread of the callee. */
  readonly thread: string;
  /** The callee's name in the text of a fault. */
  readonly callee: string;
  readonly question: string;
  readonly deadlineMs: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (fault: ActorFault) => void;
}

const describe = (ask: NewAsk): string => `${ask.question} of ${ask.callee}`;

interface Pending {
  readonly ask: NewAsk;
  readonly deadline: WheelTimer;
  /** `true` if the question was already unanswered at the last inquiry. */
  isOld: boolean;
}

/**
 * After this long without an answer, the callee's thread is asked if the question arrived. At the latest after twice
 * this time.
 */
const CHECK_QUESTIONS_MS = 2_000;

/** The questions of one thread that wait for an answer. */
export class PendingAsks {
  readonly #wheel: TimerWheel;
  readonly #pending = new Map<number, Pending>();
  readonly #checkQuestions: (thread: string, ids: readonly number[]) => void;
  #lastId: number;
  #nextInquiry: WheelTimer | undefined;

  /**
   * `firstId` is larger than any ID of an earlier life of the thread, so that a late answer to that life finds no
   * question. `checkQuestions` asks a thread if it has these questions. The missing ones must come back to `missing`.
   */
  constructor(wheel: TimerWheel, firstId: number, checkQuestions: (thread: string, ids: readonly number[]) => void) {
    this.#wheel = wheel;
    this.#checkQuestions = checkQuestions;
    this.#lastId = firstId;
  }

  get size(): number {
    return this.#pending.size;
  }

  add(ask: NewAsk): number {
    const id = ++this.#lastId;
    const deadline = this.#wheel.arm(ask.deadlineMs, () =>
      this.fault(id, 'deadline-exceeded', `no answer to ${describe(ask)} within ${ask.deadlineMs} ms`),
    );
    this.#pending.set(id, { ask, deadline, isOld: false });
    this.#checkQuestionsLater();
    return id;
  }

  answer(id: number, value: unknown): void {
    // The question may be settled already: its deadline has passed and the asker knows.
    this.#settle(id)?.ask.resolve(value);
  }

  fault(id: number, code: FaultCode, detail: string): void {
    this.#settle(id)?.ask.reject(new ActorFault(code, detail));
  }

  /** Settles every question to `thread` at once: no actor is left there to answer. */
  threadEnded(thread: string): void {
    for (const [id, { ask }] of this.#pending) {
      if (ask.thread === thread)
        this.fault(id, 'thread-ended', `thread ${thread} ended while working on ${describe(ask)}`);
    }
  }

  /** The callee's thread does not have these questions, so no answer will come. */
  missing(ids: readonly number[]): void {
    for (const id of ids) {
      const pending = this.#pending.get(id);
      if (pending !== undefined) this.fault(id, 'question-lost', `${describe(pending.ask)}, or its answer, got lost`);
    }
  }

  #checkQuestionsLater(): void {
    this.#nextInquiry ??= this.#wheel.arm(CHECK_QUESTIONS_MS, () => {
      this.#nextInquiry = undefined;
      const old = [...this.#pending].filter(([, pending]) => pending.isOld);
      for (const pending of this.#pending.values()) pending.isOld = true;
      this.#checkQuestionsLater();
      for (const [thread, asks] of Map.groupBy(old, ([, { ask }]) => ask.thread)) {
        this.#checkQuestions(
          thread,
          asks.map(([id]) => id),
        );
      }
    });
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#wheel.cancel(pending.deadline);
    if (this.#pending.size === 0 && this.#nextInquiry !== undefined) {
      this.#wheel.cancel(this.#nextInquiry);
      this.#nextInquiry = undefined;
    }
    return pending;
  }
}
