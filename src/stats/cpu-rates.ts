import type { WallMs } from '../actor/clock.ts';

/** Closer samples measure the clock more than the processor. */
const LEAST_MS = 500;

interface Sample {
  readonly atMs: WallMs;
  readonly usage: number;
  readonly rate: number | undefined;
}

/** Computes the CPU rate from the total usage at two instants. Keeps one sample for each key. */
export class CpuRates {
  #samples = new Map<string, Sample>();

  /**
   * Returns nanocores between this sample and the previous one. `undefined` for the first. `usage`: nanoseconds
   * since the start.
   */
  sample(key: string, atMs: WallMs, usage: number): number | undefined {
    const before = this.#samples.get(key);
    if (before === undefined || usage < before.usage) {
      this.#samples.set(key, { atMs, usage, rate: undefined });
      return undefined;
    }
    const passedMs = atMs - before.atMs;
    if (passedMs < LEAST_MS) return before.rate;
    const rate = Math.round(((usage - before.usage) * 1_000) / passedMs);
    this.#samples.set(key, { atMs, usage, rate });
    return rate;
  }

  /** Drops all keys but these. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#samples.keys()) if (!keys.has(key)) this.#samples.delete(key);
  }
}
