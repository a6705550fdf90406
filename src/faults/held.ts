import type { Clock } from '../actor/clock.ts';
import type { Lift } from '../actor/fault-seam.ts';

/** Things that a plan holds back, each until its time has come or the plan is taken back. */
export class Held {
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

  /** For what is held elsewhere, until its time has come there: it is told when the plan `order` ends. */
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

  /** Everything that is held for plans which are not among these. */
  releaseAllBut(orders: ReadonlySet<number>): void {
    for (const [release, order] of this.#waiting) if (!orders.has(order)) release();
  }
}
