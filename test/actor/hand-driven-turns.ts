import type { Turns } from '../../src/actor/dispatcher.ts';

/** Turns of an event loop, taken one by one by the test. */
export class HandDrivenTurns implements Turns {
  readonly #soon: (() => void)[] = [];
  #later: (() => void)[] = [];
  /** Milliseconds; a test lets time pass while an actor runs by adding to it. */
  time = 0;

  soon(turn: () => void): void {
    this.#soon.push(turn);
  }

  later(turn: () => void): void {
    this.#later.push(turn);
  }

  monotonic(): number {
    return this.time;
  }

  /** Runs the pending "soon" callbacks and those that they add, up to `atMost`. */
  runSoon(atMost = Infinity): void {
    for (let ran = 0; ran < atMost; ran++) {
      const turn = this.#soon.shift();
      if (turn === undefined) return;
      turn();
    }
  }

  /** Runs one turn of the loop: all pending "later" callbacks, each followed by its "soon" callbacks. */
  runLater(): void {
    const turns = this.#later;
    this.#later = [];
    for (const turn of turns) {
      turn();
      this.runSoon();
    }
  }

  get idle(): boolean {
    return this.#soon.length === 0 && this.#later.length === 0;
  }
}
