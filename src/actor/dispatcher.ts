/** Something with messages to read. */
export interface Runnable {
  /** Reads up to `atMost` messages, and none after the instant `until`; true when more wait. Never throws. */
  run(atMost: number, until: number): boolean;
}

/** How the dispatcher gets its turn: the event loop in a thread, a seeded scheduler in a simulation. */
export interface Turns {
  /** As soon as the code that runs now has returned. */
  soon(turn: () => void): void;
  /** After input and output have had their turn. */
  later(turn: () => void): void;
  monotonic(): number;
}

export const eventLoopTurns: Turns = {
  soon: queueMicrotask,
  later: setImmediate,
  monotonic: () => performance.now(),
};

/** Messages one actor may read before the next has its turn: nobody starves behind a busy mailbox. */
const MESSAGES_PER_VISIT = 64;
/** How long actors may run before sockets and timers are looked at again. */
const SLICE_MS = 5;

/** Shares one thread among its actors, round robin. */
export class Dispatcher {
  readonly #turns: Turns;
  #ready: Runnable[] = [];
  #scheduled = false;
  /** When actors first ran in this turn of the event loop; `undefined` until they do. */
  #turn: number | undefined;

  constructor(turns: Turns = eventLoopTurns) {
    this.#turns = turns;
  }

  monotonic(): number {
    return this.#turns.monotonic();
  }

  /** `runnable` has become non-empty. The caller sees to it that it is in the queue only once. */
  wake(runnable: Runnable): void {
    this.#ready.push(runnable);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#turns.soon(this.#slice);
  }

  readonly #slice = (): void => {
    const until = this.#turnStarted() + SLICE_MS;
    while (this.#ready.length > 0) {
      const round = this.#ready;
      this.#ready = [];
      for (let index = 0; index < round.length; index++) {
        if (this.#turns.monotonic() > until) {
          this.#ready = [...round.slice(index), ...this.#ready];
          return this.#turns.later(this.#slice);
        }
        const runnable = round[index];
        if (runnable?.run(MESSAGES_PER_VISIT, until) === true) this.#ready.push(runnable);
      }
    }
    this.#scheduled = false;
  };

  /**
   * The budget is the event loop's turn's, not the slice's: answers within a thread come as promises, and a chain of them
   * would start slice after slice in one turn.
   */
  #turnStarted(): number {
    if (this.#turn === undefined) {
      this.#turn = this.#turns.monotonic();
      this.#turns.later(() => (this.#turn = undefined));
    }
    return this.#turn;
  }
}
