import type { EvictionFigures } from '../../actors/eviction-manager/actor.ts';
import type { FsFigures, PodFigures } from '../../src/node/eviction/figures.ts';

const MI = 1024 ** 2;
const NODE_MIB = 8_192;
const DISK_MIB = 102_400;

/** What a pod takes of a node that is not real. */
export interface SimulatedUse {
  readonly memoryMib: number;
  readonly diskMib: number;
}

/**
 * Memory and disk of a simulated node. What pods take of them somebody says, and it is theirs as long as they run; others
 * take more or less, as the history has it.
 */
export class SimulatedFigures {
  /** Of what is no pod. */
  othersMib = 0;
  othersDiskMib = 0;
  readonly #now: () => number;
  readonly #running: () => ReadonlySet<string>;
  readonly #useOf: (uid: string) => SimulatedUse;

  constructor(options: {
    /** Wall clock. */
    readonly now: () => number;
    /** UIDs of the pods of which a container runs. */
    readonly running: () => ReadonlySet<string>;
    readonly useOf: (uid: string) => SimulatedUse;
  }) {
    this.#now = options.now;
    this.#running = options.running;
    this.#useOf = options.useOf;
  }

  get freeMib(): number {
    return NODE_MIB - this.#sum('memoryMib') - this.othersMib;
  }

  get diskPercentFree(): number {
    return (100 * (DISK_MIB - this.#sum('diskMib') - this.othersDiskMib)) / DISK_MIB;
  }

  /** As one incarnation asks for them: `later` runs something when it would have been measured. */
  for(later: (run: () => void) => void): EvictionFigures {
    const measured = <T>(value: () => T): Promise<T> => new Promise((resolve) => later(() => resolve(value())));
    return {
      node: () => measured(() => this.#node()),
      memory: () => measured(() => this.#node()),
      pods: (uids) => measured(() => this.#pods(uids)),
      fileSystems: () => measured(() => 'single'),
    };
  }

  #sum(of: keyof SimulatedUse): number {
    return [...this.#running()].reduce((sum, uid) => sum + this.#useOf(uid)[of], 0);
  }

  #node() {
    const time = new Date(this.#now()).toISOString();
    const availableBytes = Math.max(0, Math.round(this.freeMib * MI));
    const disk: FsFigures = {
      time,
      availableBytes: Math.max(0, Math.round((this.diskPercentFree / 100) * DISK_MIB * MI)),
      capacityBytes: DISK_MIB * MI,
    };
    return {
      memory: { time, availableBytes, workingSetBytes: NODE_MIB * MI - availableBytes },
      fs: disk,
      runtime: { imageFs: disk, containerFs: disk },
    };
  }

  #pods(uids: readonly string[]): readonly PodFigures[] {
    const running = this.#running();
    return uids
      .filter((uid) => running.has(uid))
      .map((uid) => {
        const { memoryMib, diskMib } = this.#useOf(uid);
        return {
          podRef: { uid },
          memory: { workingSetBytes: memoryMib * MI },
          containers: [
            {
              name: 'main',
              memory: { workingSetBytes: memoryMib * MI },
              rootfs: { usedBytes: diskMib * MI },
              logs: { usedBytes: 0 },
            },
          ],
        };
      });
  }
}

/** A node that has enough, and on which pods take nothing. */
export const plenty = (now: () => number): SimulatedFigures =>
  new SimulatedFigures({ now, running: () => new Set(), useOf: () => ({ memoryMib: 0, diskMib: 0 }) });
