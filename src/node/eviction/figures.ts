import type { WallMs } from '../../actor/clock.ts';
import type { Signal } from './signals.ts';

/**
 * The figures that eviction decides by: parts of the kubelet's stats summary, under its names. An absent figure is
 * unknown. Times are RFC 3339.
 */
export interface NodeFigures {
  readonly memory?: MemoryFigures | undefined;
  readonly fs?: FsFigures | undefined;
  readonly runtime?:
    { readonly imageFs?: FsFigures | undefined; readonly containerFs?: FsFigures | undefined } | undefined;
  readonly rlimit?: RlimitFigures | undefined;
  readonly systemContainers?:
    readonly { readonly name: string; readonly memory?: MemoryFigures | undefined }[] | undefined;
}

export interface MemoryFigures {
  readonly time?: string | undefined;
  readonly availableBytes?: number | undefined;
  readonly workingSetBytes?: number | undefined;
}

export interface FsFigures {
  readonly time?: string | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  readonly usedBytes?: number | undefined;
  readonly inodesFree?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesUsed?: number | undefined;
}

export interface RlimitFigures {
  readonly time?: string | undefined;
  readonly maxpid?: number | undefined;
  readonly curproc?: number | undefined;
}

export interface PodFigures {
  readonly podRef: { readonly uid: string };
  readonly memory?: MemoryFigures | undefined;
  readonly containers?: readonly ContainerFigures[] | undefined;
  readonly volume?: readonly (FsFigures & { readonly name: string })[] | undefined;
  readonly 'ephemeral-storage'?: FsFigures | undefined;
  readonly process_stats?: { readonly process_count?: number | undefined } | undefined;
}

export interface ContainerFigures {
  readonly name: string;
  readonly memory?: MemoryFigures | undefined;
  readonly rootfs?: FsFigures | undefined;
  readonly logs?: FsFigures | undefined;
}

/** How much of a resource is left, and its capacity. */
export interface Observation {
  readonly available: bigint;
  readonly capacity: bigint;
  /** Milliseconds on the clock of the measuring side; `undefined` when not reported, which counts as new. */
  readonly at: WallMs | undefined;
  /** The suffix family in which amounts are written. */
  readonly format: 'binary-si' | 'decimal-si';
}

export type Observations = ReadonlyMap<Signal, Observation>;

/** Returns an observation of each signal. A signal with an incomplete figure is not observed. */
export function observationsOf(node: NodeFigures): Observations {
  const observed = new Map<Signal, Observation>();
  const { memory, fs, runtime, rlimit, systemContainers } = node;
  const pods = systemContainers?.find(({ name }) => name === 'pods')?.memory;
  observeMemory(observed, 'memory.available', memory);
  observeMemory(observed, 'allocatableMemory.available', pods);
  observeFs(observed, 'nodefs', fs);
  observeFs(observed, 'imagefs', runtime?.imageFs);
  observeFs(observed, 'containerfs', runtime?.containerFs);
  if (rlimit?.maxpid !== undefined && rlimit.curproc !== undefined) {
    const [available, capacity] = [BigInt(rlimit.maxpid - rlimit.curproc), BigInt(rlimit.maxpid)];
    observed.set('pid.available', { available, capacity, at: instant(rlimit.time), format: 'decimal-si' });
  }
  return observed;
}

function observeMemory(observed: Map<Signal, Observation>, signal: Signal, figures: MemoryFigures | undefined): void {
  if (figures?.availableBytes === undefined || figures.workingSetBytes === undefined) return;
  const available = BigInt(figures.availableBytes);
  const capacity = available + BigInt(figures.workingSetBytes);
  observed.set(signal, { available, capacity, at: instant(figures.time), format: 'binary-si' });
}

function observeFs(
  observed: Map<Signal, Observation>,
  name: 'nodefs' | 'imagefs' | 'containerfs',
  figures: FsFigures | undefined,
): void {
  if (figures === undefined) return;
  const { availableBytes, capacityBytes, inodesFree, inodes, time } = figures;
  const at = instant(time);
  if (availableBytes !== undefined && capacityBytes !== undefined) {
    const [available, capacity] = [BigInt(availableBytes), BigInt(capacityBytes)];
    observed.set(`${name}.available`, { available, capacity, at, format: 'binary-si' });
  }
  // A file system that creates inodes on demand has none to run out of.
  if (inodesFree !== undefined && inodes !== undefined && inodes > 0) {
    const [available, capacity] = [BigInt(inodesFree), BigInt(inodes)];
    observed.set(`${name}.inodesFree`, { available, capacity, at, format: 'decimal-si' });
  }
}

function instant(time: string | undefined): WallMs | undefined {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : at;
}
