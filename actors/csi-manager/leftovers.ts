import type { StagedVolume } from '../../src/csi/csi-volume.ts';
import { waitMs } from './state.ts';
import { keyOf } from './volume-users.ts';

interface Leftover {
  readonly volume: StagedVolume;
  readonly failures: number;
  /** Monotonic. */
  readonly notBefore: number;
}

/** Volumes that are staged on this node and that nobody uses: to be taken off it, again and again until that has worked. */
export class Leftovers {
  readonly #all = new Map<string, Leftover>();

  found(volume: StagedVolume): void {
    this.#all.set(keyOf(volume), { volume, failures: 0, notBefore: 0 });
  }

  /** True: it had not failed before. */
  failed(volume: StagedVolume, now: number): boolean {
    const failures = this.#all.get(keyOf(volume))?.failures ?? 0;
    this.#all.set(keyOf(volume), { volume, failures: failures + 1, notBefore: now + waitMs(failures) });
    return failures === 0;
  }

  done(volume: StagedVolume): void {
    this.#all.delete(keyOf(volume));
  }

  due(now: number): readonly StagedVolume[] {
    return [...this.#all.values()].flatMap(({ volume, notBefore }) => (notBefore <= now ? [volume] : []));
  }
}
