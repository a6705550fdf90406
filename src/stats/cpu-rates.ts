/** Closer samples say more of the clock than of the processor. */
const LEAST_MS = 500;

interface Sample {
  readonly atMs: number;
  readonly usage: number;
  readonly rate: number | undefined;
}

/** How many processors are used, from what was used in all at two instants. Remembers one sample for each of what it is asked about. */
export class CpuRates {
  #samples = new Map<string, Sample>();

  /** Nanocores between this sample and the one before; undefined: there is none yet. `usage`: nanoseconds since it began. */
  sample(key: string, atMs: number, usage: number): number | undefined {
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

  /** Forgets all but these. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#samples.keys()) if (!keys.has(key)) this.#samples.delete(key);
  }
}
