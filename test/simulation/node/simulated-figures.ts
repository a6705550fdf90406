import type { EvictionFigures } from '../../../actors/eviction-manager/actor.ts';
import type { FsFigures, PodFigures } from '../../../src/node/eviction/figures.ts';
import type { FileSystems, ReclaimStep } from '../../../src/node/eviction/file-systems.ts';

const MI = 1024 ** 2;
const NODE_MIB = 8_192;
const DISK_MIB = 102_400;
const IMAGE_DISK_MIB = 51_200;
const DISK_INODES = 1_000_000;
const MOST_PROCESSES = 32_768;

/** A pod's usage of a simulated node. */
export interface SimulatedUse {
  readonly memoryMib: number;
  /** Bytes in its writable layer. */
  readonly diskMib: number;
  readonly logsMib: number;
  readonly inodes: number;
  readonly processes: number;
}

export const NO_USE: SimulatedUse = { memoryMib: 0, diskMib: 0, logsMib: 0, inodes: 0, processes: 0 };

/**
 * Memory, disks and process numbers of a simulated node. The test sets each pod's usage, which lasts while the pod runs.
 * Other processes use an amount that changes with the history.
 */
export class SimulatedFigures {
  /** The usage by other processes than pods. */
  othersMib = 0;
  othersDiskMib = 0;
  othersProcesses = 0;
  /** `image`: images and writable layers have their own disk. */
  fileSystems: FileSystems = 'single';
  imagesMib = 0;
  /** Images and containers that the node removes when it reclaims disk. */
  unusedImagesMib = 0;
  /** The requested reclaims. */
  readonly reclaimed: ReclaimStep[] = [];
  readonly reclaim = {
    'delete-unused-containers': async () => void this.reclaimed.push('delete-unused-containers'),
    'delete-unused-images': async () => {
      this.reclaimed.push('delete-unused-images');
      this.unusedImagesMib = 0;
    },
  };
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
    return (100 * (DISK_MIB - this.#onDiskMib() - this.othersDiskMib)) / DISK_MIB;
  }

  /** The figures for one incarnation. `later` runs a function when the measurement would have ended. */
  for(later: (run: () => void) => void): EvictionFigures {
    const measured = <T>(value: () => T): Promise<T> => new Promise((resolve) => later(() => resolve(value())));
    return {
      node: () => measured(() => this.#node()),
      memory: () => measured(() => this.#node()),
      pods: (uids) => measured(() => this.#pods(uids)),
      fileSystems: () => measured(() => this.fileSystems),
    };
  }

  #onDiskMib(): number {
    const logsMib = this.#sum('logsMib');
    return this.fileSystems === 'single' ? logsMib + this.#layersMib() : logsMib;
  }

  #layersMib(): number {
    return this.#sum('diskMib') + this.imagesMib + this.unusedImagesMib;
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
      inodes: DISK_INODES,
      inodesFree: Math.max(0, DISK_INODES - this.#sum('inodes')),
    };
    const ofImages: FsFigures = {
      time,
      availableBytes: Math.max(0, IMAGE_DISK_MIB - this.#layersMib()) * MI,
      capacityBytes: IMAGE_DISK_MIB * MI,
    };
    const imageFs = this.fileSystems === 'single' ? disk : ofImages;
    return {
      memory: { time, availableBytes, workingSetBytes: NODE_MIB * MI - availableBytes },
      fs: disk,
      runtime: { imageFs, containerFs: imageFs },
      rlimit: { time, maxpid: MOST_PROCESSES, curproc: this.othersProcesses + this.#sum('processes') },
    };
  }

  #pods(uids: readonly string[]): readonly PodFigures[] {
    const running = this.#running();
    return uids
      .filter((uid) => running.has(uid))
      .map((uid) => {
        const { memoryMib, diskMib, logsMib, inodes, processes } = this.#useOf(uid);
        return {
          podRef: { uid },
          memory: { workingSetBytes: memoryMib * MI },
          containers: [
            {
              name: 'main',
              memory: { workingSetBytes: memoryMib * MI },
              rootfs: { usedBytes: diskMib * MI, inodesUsed: inodes },
              logs: { usedBytes: logsMib * MI, inodesUsed: 0 },
            },
          ],
          process_stats: { process_count: processes },
        };
      });
  }
}

/** A node with plenty of everything, on which pods use nothing. */
export const plenty = (now: () => number): SimulatedFigures =>
  new SimulatedFigures({ now, running: () => new Set(), useOf: () => NO_USE });
