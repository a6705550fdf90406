import type { Clock } from '../actor/clock.ts';
import type { Lift } from '../actor/fault-seam.ts';

/** Messages and calls that a plan holds back, until their time has come or the plan is removed. */
export class HeldMessages {
  readonly #clock: Clock;
  readonly #waiting = new Map<() => void, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Calls `release` once: after `forMs`, when the plan `order` ends, or when the returned function is called. */
  hold(order: number, forMs: number | undefined, release: () => void): () => void {
    const once = (): void => {
      disarm();
      if (this.#waiting.delete(once)) release();
    };
    const disarm = forMs === undefined ? () => {} : this.#clock.after(forMs, once);
    this.#waiting.set(once, order);
    return once;
  }

  /** Returns the lift of a plan, for messages held elsewhere. It releases them when the plan `order` ends. */
  liftOf(order: number): Lift {
    return {
      add: (release) => {
        const once = (): void => {
          if (this.#waiting.delete(once)) release();
        };
        this.#waiting.set(once, order);
        return () => void this.#waiting.delete(once);
      },
    };
  }

  /** Releases everything that is held for other plans than these. */
  releaseAllBut(orders: ReadonlySet<number>): void {
    for (const [release, order] of this.#waiting) if (!orders.has(order)) release();
  }
}
