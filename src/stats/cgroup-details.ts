import { cgroupFile, type CgroupSource } from './cgroup-figures.ts';
import { keyedNumber, oneNumber, packets, type InterfacePackets } from './kernel-text.ts';

/**
 * A cgroup's figures beyond the Summary API. A value that the kernel does not report is `undefined`, never zero, except
 * where a kubelet shows zero.
 */
export interface CgroupDetails {
  readonly cpuUserSeconds: number | undefined;
  readonly cpuSystemSeconds: number | undefined;
  readonly cfs: CfsDetails;
  readonly memory: MemoryDetails;
  readonly oomKills: number | undefined;
  readonly processes: number | undefined;
  readonly threads: number | undefined;
  /** 0 when there is no limit, as in cAdvisor. */
  readonly threadsMax: number | undefined;
  readonly spec: SpecDetails;
  readonly disks: readonly DiskDetails[];
  /** Packets in the network namespace of its processes. */
  readonly packets: readonly InterfacePackets[];
}

/** How many CFS quota periods have passed, and in how many the quota was used up. */
export interface CfsDetails {
  readonly periods: number | undefined;
  readonly throttledPeriods: number | undefined;
  readonly throttledSeconds: number | undefined;
  readonly burstPeriods: number | undefined;
  readonly burstSeconds: number | undefined;
}

export interface MemoryDetails {
  readonly cache: number | undefined;
  readonly mappedFile: number | undefined;
  readonly kernel: number | undefined;
  readonly max: number | undefined;
  readonly failures: number | undefined;
  readonly activeFile: number | undefined;
  readonly inactiveFile: number | undefined;
}

/** The cgroup's settings. Memory without a limit is zero, as in cAdvisor. */
export interface SpecDetails {
  readonly cpuShares: number | undefined;
  readonly cpuPeriod: number | undefined;
  /** `undefined` when unlimited. */
  readonly cpuQuota: number | undefined;
  readonly memoryLimit: number | undefined;
  readonly memoryReservation: number | undefined;
  readonly swapLimit: number | undefined;
}

/** Transfers of a block device, by its numbers. */
export interface DiskDetails {
  readonly major: string;
  readonly minor: string;
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly reads: number;
  readonly writes: number;
  /** Known of the machine only: the kernel does not keep them by cgroup. */
  readonly times?: DiskTimes;
}

/** What the kernel counts of a whole disk. */
export interface DiskTimes {
  readonly mergedReads: number;
  readonly mergedWrites: number;
  readonly readSeconds: number;
  readonly writeSeconds: number;
  /** Transfers under way at this moment. */
  readonly current: number;
  readonly busySeconds: number;
  /** Each second counts as often as transfers were under way in it. */
  readonly weightedSeconds: number;
}

type Read = (controller: string, file: string) => string | undefined;

/** Reads about a dozen small kernel files. */
export function readCgroupDetails(source: CgroupSource, path: string): CgroupDetails {
  const read: Read = (controller, file) => source.read(cgroupFile(source, path, [controller, file]));
  const processes = source.version === 2 ? read('', 'cgroup.procs') : read('memory', 'cgroup.procs');
  const details = source.version === 2 ? detailsV2(read) : detailsV1(read);
  const disks = path === '/' ? disksOfMachine(source.read('/proc/diskstats'), details.disks) : details.disks;
  return { ...details, disks, processes: linesOf(processes), packets: packetsOf(source, path, processes) };
}

/** All processes of a cgroup share their network: any of them will do. */
function packetsOf({ read }: CgroupSource, path: string, processes = ''): readonly InterfacePackets[] {
  if (path === '/') return packets(read('/proc/net/dev'));
  const [first] = /^\d+/m.exec(processes) ?? [];
  return first === undefined ? [] : packets(read(`/proc/${first}/net/dev`));
}

type OwnFiles = Omit<CgroupDetails, 'processes' | 'packets'>;

const times = (amount: number | undefined, factor: number): number | undefined =>
  amount === undefined ? undefined : amount * factor;
const linesOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : text.split('\n').filter((line) => line !== '').length;

const MICRO = 1e-6;
const NANO = 1e-9;
/** The kernel counts ticks there: a hundred a second on every supported machine. */
const TICK = 0.01;

function detailsV2(read: Read): OwnFiles {
  const cpu = read('', 'cpu.stat');
  const ofCpu = (key: string): number | undefined => keyedNumber(cpu, key);
  const memory = read('', 'memory.stat');
  const ofMemory = (key: string): number | undefined => keyedNumber(memory, key);
  const events = read('', 'memory.events');
  const [quota, period] = (read('', 'cpu.max') ?? '').trim().split(' ');
  const weight = oneNumber(read('', 'cpu.weight'));
  return {
    cpuUserSeconds: times(ofCpu('user_usec'), MICRO),
    cpuSystemSeconds: times(ofCpu('system_usec'), MICRO),
    cfs: {
      periods: ofCpu('nr_periods'),
      throttledPeriods: ofCpu('nr_throttled'),
      throttledSeconds: times(ofCpu('throttled_usec'), MICRO),
      burstPeriods: ofCpu('nr_bursts'),
      burstSeconds: times(ofCpu('burst_usec'), MICRO),
    },
    memory: {
      cache: ofMemory('file'),
      mappedFile: ofMemory('file_mapped'),
      kernel: ofMemory('kernel'),
      max: oneNumber(read('', 'memory.peak')),
      failures: keyedNumber(events, 'max'),
      activeFile: ofMemory('active_file'),
      inactiveFile: ofMemory('inactive_file'),
    },
    oomKills: keyedNumber(events, 'oom_kill'),
    threads: oneNumber(read('', 'pids.current')),
    threadsMax: limitOf(read('', 'pids.max')),
    spec: {
      // Converts from 1..10000 back to 2..262144, the reverse of the runtime's conversion.
      cpuShares: weight === undefined ? undefined : Math.floor(2 + ((weight - 1) * 262_142) / 9_999),
      cpuPeriod: oneNumber(period),
      cpuQuota: oneNumber(quota),
      memoryLimit: limitOf(read('', 'memory.max')),
      memoryReservation: limitOf(read('', 'memory.min')),
      swapLimit: limitOf(read('', 'memory.swap.max')),
    },
    disks: disksV2(read('', 'io.stat')),
  };
}

function detailsV1(read: Read): OwnFiles {
  const usage = read('cpuacct', 'cpuacct.stat');
  const cpu = read('cpu', 'cpu.stat');
  const memory = read('memory', 'memory.stat');
  const ofMemory = (key: string): number | undefined => keyedNumber(memory, `total_${key}`) ?? keyedNumber(memory, key);
  const ofMemoryFile = (file: string): number | undefined => oneNumber(read('memory', `memory.${file}`));
  return {
    cpuUserSeconds: times(keyedNumber(usage, 'user'), TICK),
    cpuSystemSeconds: times(keyedNumber(usage, 'system'), TICK),
    cfs: {
      periods: keyedNumber(cpu, 'nr_periods'),
      throttledPeriods: keyedNumber(cpu, 'nr_throttled'),
      throttledSeconds: times(keyedNumber(cpu, 'throttled_time'), NANO),
      burstPeriods: keyedNumber(cpu, 'nr_bursts'),
      burstSeconds: times(keyedNumber(cpu, 'burst_time'), NANO),
    },
    memory: {
      cache: ofMemory('cache'),
      mappedFile: ofMemory('mapped_file'),
      kernel: ofMemoryFile('kmem.usage_in_bytes'),
      max: ofMemoryFile('max_usage_in_bytes'),
      failures: ofMemoryFile('failcnt'),
      activeFile: ofMemory('active_file'),
      inactiveFile: ofMemory('inactive_file'),
    },
    oomKills: keyedNumber(read('memory', 'memory.oom_control'), 'oom_kill'),
    threads: oneNumber(read('pids', 'pids.current')),
    threadsMax: limitOf(read('pids', 'pids.max')),
    spec: {
      cpuShares: oneNumber(read('cpu', 'cpu.shares')),
      cpuPeriod: oneNumber(read('cpu', 'cpu.cfs_period_us')),
      cpuQuota: oneNumber(read('cpu', 'cpu.cfs_quota_us')),
      memoryLimit: limitOf(read('memory', 'memory.limit_in_bytes')),
      memoryReservation: limitOf(read('memory', 'memory.soft_limit_in_bytes')),
      swapLimit: limitOf(read('memory', 'memory.memsw.limit_in_bytes')),
    },
    disks: disksV1(
      read('blkio', 'blkio.throttle.io_service_bytes_recursive'),
      read('blkio', 'blkio.throttle.io_serviced_recursive'),
    ),
  };
}

/** Version 1 writes a larger value when there is no limit. */
const NO_LIMIT = 2 ** 62;

function limitOf(text: string | undefined): number | undefined {
  if (text?.trim() === 'max') return 0;
  const bytes = oneNumber(text);
  return bytes !== undefined && bytes >= NO_LIMIT ? 0 : bytes;
}

function disksV2(text = ''): readonly DiskDetails[] {
  return [...text.matchAll(/^(\d+):(\d+) (.*)$/gm)].map(([, major = '', minor = '', rest = '']) => {
    const figures = new Map(rest.split(' ').map((word) => [word.split('=', 1)[0], /=(\d+)/.exec(word)?.[1]]));
    const of = (key: string): number => Number(figures.get(key) ?? 0);
    return {
      major,
      minor,
      readBytes: of('rbytes'),
      writtenBytes: of('wbytes'),
      reads: of('rios'),
      writes: of('wios'),
    };
  });
}

const MILLI = 1e-3;
const SECTOR_BYTES = 512;
const DISK = /^ *(\d+) +(\d+) +(\S+) +(\d.*)$/gm;
const PARTITION = /^(?:(?:sd|hd|vd|xvd)[a-z]+|(?:nvme\d+n|mmcblk|md|nbd)\d+p)\d+$/;

/** The root cgroup of version 2 has no transfers of its own: the machine's figures are used for disks without any. */
function disksOfMachine(text = '', ofCgroup: readonly DiskDetails[]): readonly DiskDetails[] {
  const known = new Map(ofCgroup.map((disk) => [`${disk.major}:${disk.minor}`, disk]));
  const found = [...text.matchAll(DISK)].flatMap(([, major = '', minor = '', name = '', rest = '']) => {
    const ofGroup = known.get(`${major}:${minor}`);
    // A partition's transfers are those of its disk, too.
    if (ofGroup === undefined && PARTITION.test(name)) return [];
    const [reads = 0, mergedReads = 0, readSectors = 0, readMs = 0, ...others] = rest.trim().split(/ +/).map(Number);
    const [writes = 0, mergedWrites = 0, writtenSectors = 0, writeMs = 0, current = 0, busyMs = 0, weightedMs = 0] =
      others;
    // Devices that were never used, such as free loop devices.
    if (reads === 0 && writes === 0) return [];
    const own = { readBytes: readSectors * SECTOR_BYTES, writtenBytes: writtenSectors * SECTOR_BYTES, reads, writes };
    const times: DiskTimes = {
      mergedReads,
      mergedWrites,
      readSeconds: readMs * MILLI,
      writeSeconds: writeMs * MILLI,
      current,
      busySeconds: busyMs * MILLI,
      weightedSeconds: weightedMs * MILLI,
    };
    known.delete(`${major}:${minor}`);
    return [{ major, minor, ...own, ...ofGroup, times }];
  });
  return [...found, ...known.values()];
}

function disksV1(bytes: string | undefined, transfers: string | undefined): readonly DiskDetails[] {
  const disks = new Map<string, { -readonly [K in keyof DiskDetails]: DiskDetails[K] }>();
  const count = (
    text: string | undefined,
    of: { readonly Read: 'readBytes' | 'reads'; readonly Write: 'writtenBytes' | 'writes' },
  ) => {
    for (const [, major = '', minor = '', kind, amount] of (text ?? '').matchAll(
      /^(\d+):(\d+) (Read|Write) (\d+)$/gm,
    )) {
      const key = `${major}:${minor}`;
      const disk = disks.get(key) ?? { major, minor, readBytes: 0, writtenBytes: 0, reads: 0, writes: 0 };
      disks.set(key, disk);
      // The pattern matches these two words only.
      disk[of[kind as 'Read' | 'Write']] = Number(amount);
    }
  };
  count(bytes, { Read: 'readBytes', Write: 'writtenBytes' });
  count(transfers, { Read: 'reads', Write: 'writes' });
  return [...disks.values()];
}
