import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { StagedVolume } from '../../src/csi/csi-volume.ts';
import { waitMs } from './state.ts';
import { keyOf } from './volume-users.ts';

interface Leftover {
  readonly volume: StagedVolume;
  readonly failures: number;
  /** Monotonic milliseconds. */
  readonly notBefore: MonotonicMs;
}

/** Staged volumes without users: they are unstaged, with retries until that succeeds. */
export class Leftovers {
  readonly #all = new Map<string, Leftover>();

  found(volume: StagedVolume): void {
    this.#all.set(keyOf(volume), { volume, failures: 0, notBefore: 0 });
  }

  /** Returns `true` if this is the volume's first failure. */
  failed(volume: StagedVolume, now: MonotonicMs): boolean {
    const failures = this.#all.get(keyOf(volume))?.failures ?? 0;
    this.#all.set(keyOf(volume), { volume, failures: failures + 1, notBefore: later(now, waitMs(failures)) });
    return failures === 0;
  }

  done(volume: StagedVolume): void {
    this.#all.delete(keyOf(volume));
  }

  due(now: MonotonicMs): readonly StagedVolume[] {
    return [...this.#all.values()].flatMap(({ volume, notBefore }) => (notBefore <= now ? [volume] : []));
  }
}
