import { readFileSync } from 'node:fs';
import { systemClock } from '../../../src/actor/clock.ts';

const PRESSURE = '/proc/pressure/cpu';
const LOOK_EVERY_MS = 100;

/** How long some process of the machine had waited for a CPU, in milliseconds, at an instant. */
export interface WaitSample {
  readonly at: number;
  readonly waitedMs: number;
}

/**
 * Returns how long some process waited for a CPU between two instants. A busy machine makes everything late, and nothing
 * of that is due to the agent.
 */
export function waitedBetween(samples: readonly WaitSample[], [from, to]: readonly [number, number]): number {
  const before = samples.findLast(({ at }) => at <= from) ?? samples[0];
  const after = samples.find(({ at }) => at >= to) ?? samples.at(-1);
  if (before === undefined || after === undefined) return 0;
  return Math.max(0, Math.min(after.waitedMs - before.waitedMs, to - from));
}

/** Reads the kernel's count of microseconds. `undefined` for a kernel that does not count. */
export function waitedIn(text: string): number | undefined {
  const total = /^some .*total=(?<total>\d+)$/m.exec(text)?.groups?.['total'];
  return total === undefined ? undefined : Number(total) / 1_000;
}

/** Samples how long processes of this machine wait for a CPU. */
export class CpuWaits {
  readonly #samples: WaitSample[] = [];
  #stopLooking = (): void => {};

  constructor() {
    this.#lookOften();
  }

  between(from: number, to: number): number {
    this.#look();
    return waitedBetween(this.#samples, [from, to]);
  }

  stop(): void {
    this.#stopLooking();
  }

  #lookOften(): void {
    this.#look();
    this.#stopLooking = systemClock.after(LOOK_EVERY_MS, () => this.#lookOften());
  }

  #look(): void {
    const waitedMs = waitedIn(pressure());
    if (waitedMs !== undefined) this.#samples.push({ at: performance.now(), waitedMs });
  }
}

function pressure(): string {
  try {
    return readFileSync(PRESSURE, 'utf8');
  } catch {
    // A kernel without this count: nothing is known, and no time is forgiven.
    return '';
  }
}
