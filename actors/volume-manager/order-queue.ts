import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';

interface Waiting {
  readonly order: VolumeOrder;
  readonly done: (outcome: VolumeOutcome) => void;
  readonly lost: (reason: unknown) => void;
}

/** This many small orders are worth the message to a job thread, and do not delay the first one for long. */
const BATCH = 32;
/** Batches under way at once: one in progress, one ready for when it ends. */
const AT_ONCE = 2;
/** Most orders at once that wait for the kernel or another program. */
const SLOW_AT_ONCE = 32;

/**
 * Hands orders to the job threads: fast orders many at a time, slow orders each alone, so that a hanging order delays
 * no other.
 */
export class OrderQueue {
  readonly #carryOut: (orders: readonly VolumeOrder[]) => Promise<readonly VolumeOutcome[]>;
  readonly #quick: Waiting[] = [];
  readonly #slow: Waiting[] = [];
  #quickUnderWay = 0;
  #slowUnderWay = 0;
  #isDue = false;

  constructor(carryOut: (orders: readonly VolumeOrder[]) => Promise<readonly VolumeOutcome[]>) {
    this.#carryOut = carryOut;
  }

  add(order: VolumeOrder): Promise<VolumeOutcome> {
    return new Promise((done, lost) => {
      (mayTakeLong(order) ? this.#slow : this.#quick).push({ order, done, lost });
      if (this.#isDue) return;
      // Further orders of this turn join the batch.
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        this.#send();
      });
    });
  }

  #send(): void {
    while (this.#quick.length > 0 && this.#quickUnderWay < AT_ONCE) {
      this.#quickUnderWay += 1;
      void this.#give(this.#quick.splice(0, BATCH)).finally(() => {
        this.#quickUnderWay -= 1;
        this.#send();
      });
    }
    while (this.#slow.length > 0 && this.#slowUnderWay < SLOW_AT_ONCE) {
      this.#slowUnderWay += 1;
      void this.#give(this.#slow.splice(0, 1)).finally(() => {
        this.#slowUnderWay -= 1;
        this.#send();
      });
    }
  }

  async #give(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#carryOut(batch.map(({ order }) => order));
      for (const [index, { done }] of batch.entries()) {
        done(outcomes[index] ?? { ok: false, message: 'the work on it was lost' });
      }
    } catch (reason) {
      for (const { lost } of batch) lost(reason);
    }
  }
}

/** Returns `true` if an order reads disks of others, or mounts something. */
function mayTakeLong(order: VolumeOrder): boolean {
  if (order.type !== 'set-up') return true;
  const { plan } = order;
  switch (plan.type) {
    case 'host-path':
    case 'local':
      return true;
    case 'empty-dir':
      return plan.medium !== 'disk';
    case 'files':
      return plan.memoryBytes !== undefined;
    case 'claim':
    case 'csi':
    case 'refused':
      return false;
    default:
      return plan satisfies never;
  }
}
