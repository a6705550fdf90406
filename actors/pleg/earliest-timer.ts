import { later, type Clock, type MonotonicMs } from '../../src/actor/clock.ts';

/**
 * One timer for many callers that want the same thing, each within its own time. The timer fires at the earliest of
 * these. A later request never postpones the timer, so frequent requests cannot keep it from firing.
 */
export class EarliestTimer {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #dueAt: MonotonicMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  within(delayMs: number): void {
    const dueAt = later(this.#clock.monotonic(), delayMs);
    if (dueAt >= this.#dueAt) return;
    this.#cancel();
    this.#dueAt = dueAt;
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#fire();
    });
  }
}
