import type { ThreadMs } from './clock.ts';

/** Something with messages to read. */
export interface Runnable {
  /** Reads up to `atMost` messages, and none after the instant `until`. Returns `true` when more wait. Never throws. */
  run(atMost: number, until: ThreadMs): boolean;
}

/** How the dispatcher gets its turn: from the event loop in a thread, from a seeded scheduler in a simulation. */
export interface Turns {
  /** Runs `turn` as soon as the current code has returned. */
  soon(turn: () => void): void;
  /** Runs `turn` after input and output. */
  later(turn: () => void): void;
  monotonic(): ThreadMs;
}

export const eventLoopTurns: Turns = {
  soon: queueMicrotask,
  later: setImmediate,
  monotonic: () => performance.now(),
};

/** How many messages an actor may read before the next actor's turn. No actor starves behind a busy mailbox. */
const MESSAGES_PER_VISIT = 64;
/** How long actors may run before sockets and timers are served again. */
const SLICE_MS = 5;

/** Shares one thread among its actors, round robin. */
export class Dispatcher {
  readonly #turns: Turns;
  #ready: Runnable[] = [];
  #scheduled = false;
  /** The instant at which actors first ran in this turn of the event loop. `undefined` until they do. */
  #turn: ThreadMs | undefined;

  constructor(turns: Turns = eventLoopTurns) {
    this.#turns = turns;
  }

  monotonic(): ThreadMs {
    return this.#turns.monotonic();
  }

  /** Queues `runnable`, whose mailbox has become non-empty. The caller must not queue it twice. */
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
   * The budget covers the turn of the event loop, not the slice. Answers within a thread come as promises, and a chain
   * of them would start slice after slice in one turn.
   */
  #turnStarted(): ThreadMs {
    if (this.#turn === undefined) {
      this.#turn = this.#turns.monotonic();
      this.#turns.later(() => (this.#turn = undefined));
    }
    return this.#turn;
  }
}
