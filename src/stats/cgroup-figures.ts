import { put } from '../kube/text/own.ts';
import { keyedNumber, oneNumber, pressure } from './kernel-text.ts';
import type { CpuStats, MemoryStats, PsiStats, SwapStats } from './summary.ts';

/** The usage of a cgroup, without timestamps: the reader knows the time. */
export interface CgroupFigures {
  readonly cpu: Omit<CpuStats, 'time'>;
  readonly memory: Omit<MemoryStats, 'time'>;
  readonly swap: Omit<SwapStats, 'time'> | undefined;
  readonly io: { readonly psi: PsiStats } | undefined;
}

export interface CgroupSource {
  readonly read: (path: string) => string | undefined;
  /** Where the hierarchies are mounted: `/sys/fs/cgroup`. */
  readonly mount: string;
  readonly version: 1 | 2;
}

/** Returns the path of a cgroup's file; in version 1, in the hierarchy of its controller. */
export function cgroupFile({ mount, version }: CgroupSource, path: string, name: readonly [string, string]): string {
  const folder = path === '/' ? '' : path;
  return version === 2 ? `${mount}${folder}/${name[1]}` : `${mount}/${name[0]}${folder}/${name[1]}`;
}

/** More than any machine has: version 1 writes this when there is no limit. */
const NO_LIMIT = 2 ** 62;

export function readCgroup(source: CgroupSource, path: string): CgroupFigures {
  const read = (controller: string, file: string): string | undefined =>
    source.read(cgroupFile(source, path, [controller, file]));
  const memory = source.version === 2 ? memoryV2(read) : memoryV1(read);
  const io = source.version === 2 ? pressure(read('', 'io.pressure')) : undefined;
  return {
    cpu: cpuOf(source, read),
    memory: memory.memory,
    swap: memory.swap,
    io: io && { psi: io },
  };
}

type Read = (controller: string, file: string) => string | undefined;

function cpuOf({ version }: CgroupSource, read: Read): Omit<CpuStats, 'time'> {
  if (version === 1) return known({ usageCoreNanoSeconds: oneNumber(read('cpuacct', 'cpuacct.usage')) });
  const microseconds = keyedNumber(read('', 'cpu.stat'), 'usage_usec');
  return known({
    usageCoreNanoSeconds: microseconds === undefined ? undefined : microseconds * 1_000,
    psi: pressure(read('', 'cpu.pressure')),
  });
}

function memoryV1(read: Read) {
  const stat = read('memory', 'memory.stat');
  const of = (key: string): number | undefined => keyedNumber(stat, `total_${key}`) ?? keyedNumber(stat, key);
  const usage = oneNumber(read('memory', 'memory.usage_in_bytes'));
  const swap = of('swap');
  return {
    memory: memoryFigures({
      usage,
      inactiveFile: of('inactive_file'),
      rss: of('rss'),
      // The cgroup's own faults, as the kubelet reports them, and not those of the cgroups below it.
      faults: keyedNumber(stat, 'pgfault') ?? of('pgfault'),
      majorFaults: keyedNumber(stat, 'pgmajfault') ?? of('pgmajfault'),
      limit: oneNumber(read('memory', 'memory.limit_in_bytes')),
    }),
    swap: swap === undefined ? undefined : { swapUsageBytes: swap },
  };
}

function memoryV2(read: Read) {
  const stat = read('', 'memory.stat');
  const swapUsage = oneNumber(read('', 'memory.swap.current'));
  const swapLimit = oneNumber(read('', 'memory.swap.max'));
  return {
    memory: {
      ...memoryFigures({
        usage: oneNumber(read('', 'memory.current')),
        inactiveFile: keyedNumber(stat, 'inactive_file'),
        rss: keyedNumber(stat, 'anon'),
        faults: keyedNumber(stat, 'pgfault'),
        majorFaults: keyedNumber(stat, 'pgmajfault'),
        limit: oneNumber(read('', 'memory.max')),
      }),
      ...known({ psi: pressure(read('', 'memory.pressure')) }),
    },
    swap:
      swapUsage === undefined
        ? undefined
        : known({
            swapUsageBytes: swapUsage,
            swapAvailableBytes: swapLimit === undefined ? undefined : Math.max(0, swapLimit - swapUsage),
          }),
  };
}

/** Converts the kernel's counts to the Summary API. The working set is the usage without inactive file pages. */
export function memoryFigures(counts: {
  readonly usage: number | undefined;
  readonly inactiveFile: number | undefined;
  readonly rss: number | undefined;
  readonly faults: number | undefined;
  readonly majorFaults: number | undefined;
  readonly limit: number | undefined;
}): Omit<MemoryStats, 'time'> {
  const { usage, inactiveFile, rss, faults, majorFaults, limit } = counts;
  const workingSet = usage === undefined ? undefined : Math.max(0, usage - (inactiveFile ?? 0));
  const isLimited = limit !== undefined && limit < NO_LIMIT && workingSet !== undefined;
  return known({
    availableBytes: isLimited ? Math.max(0, limit - workingSet) : undefined,
    usageBytes: usage,
    workingSetBytes: workingSet,
    rssBytes: rss,
    pageFaults: faults,
    majorPageFaults: majorFaults,
  });
}

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out unknown members, as the Summary API does. */
export function known<T extends object>(fields: T): Known<T> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) put(kept, key, value);
  // Only members without a value were left out.
  return kept as Known<T>;
}
