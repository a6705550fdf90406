import type { Clock } from '../clock.ts';
import type { ReaderFault } from '../fault-seam.ts';

/** Without `forMs`: until it is lifted. */
export type Stall = Pick<ReaderFault & { readonly type: 'stall' }, 'forMs' | 'lift'>;

/** Why an actor reads nothing, on purpose: each reason has an end of its own. */
export class Stalls {
  readonly #reasons = new Set<object>();
  readonly #over: () => void;

  /** `over` is called when the last of the reasons is over. */
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
