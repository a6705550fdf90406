import type { Clock } from '../clock.ts';
import type { ReaderFault } from '../fault-seam.ts';

/** Without `forMs` the stall lasts until it is lifted. */
export type Stall = Pick<ReaderFault & { readonly type: 'stall' }, 'forMs' | 'lift'>;

/** The injected reasons for which an actor reads nothing. Each reason ends on its own. */
export class Stalls {
  readonly #reasons = new Set<object>();
  readonly #over: () => void;

  /** `over` is called when the last reason has ended. */
  constructor(over: () => void) {
    this.#over = over;
  }

  get areOver(): boolean {
    return this.#reasons.size === 0;
  }

  add({ forMs, lift }: Stall, clock: Pick<Clock, 'after'>): void {
    const reason = {};
    this.#reasons.add(reason);
    const end = (): void => {
      for (const forget of waits) forget?.();
      if (this.#reasons.delete(reason) && this.areOver) this.#over();
    };
    const waits = [forMs === undefined ? undefined : clock.after(forMs, end), lift?.add(end)];
  }
}
