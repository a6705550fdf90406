import type { CgroupDetails, DiskDetails, DiskTimes } from './cgroup-details.ts';
import type { ProcessDetails } from './process-details.ts';
import { labelText, type MetricText } from './metric-text.ts';

/** A container or the machine, and its cgroup's details. */
export interface DetailedRow {
  /** The labels between the braces. */
  readonly labels: string;
  readonly details: CgroupDetails;
}

/** The kernel counts periods only for a cgroup with a quota. */
const ofQuota =
  (value: (cfs: CgroupDetails['cfs']) => number | undefined) =>
  ({ spec, cfs }: CgroupDetails): number | undefined =>
    spec.cpuQuota === undefined ? undefined : value(cfs);

type Column = readonly [
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: (details: CgroupDetails) => number | undefined,
];

const columns: readonly Column[] = [
  ['cpu_user_seconds_total', 'counter', 'Processor time of its own, in seconds.', (d) => d.cpuUserSeconds],
  ['cpu_system_seconds_total', 'counter', 'Processor time in the kernel, in seconds.', (d) => d.cpuSystemSeconds],
  ['cpu_cfs_periods_total', 'counter', 'Periods in which its quota was enforced.', ofQuota((cfs) => cfs.periods)],
  [
    'cpu_cfs_throttled_periods_total',
    'counter',
    'Periods that its quota was too little for.',
    ofQuota((cfs) => cfs.throttledPeriods),
  ],
  [
    'cpu_cfs_throttled_seconds_total',
    'counter',
    'How long its quota made it wait, in seconds.',
    ofQuota((cfs) => cfs.throttledSeconds),
  ],
  [
    'cpu_cfs_burst_periods_total',
    'counter',
    'Periods in which it used more than its quota.',
    ofQuota((cfs) => cfs.burstPeriods),
  ],
  ['cpu_cfs_burst_seconds_total', 'counter', 'Time beyond its quota, in seconds.', ofQuota((cfs) => cfs.burstSeconds)],
  ['memory_cache', 'gauge', 'Memory that holds parts of files, in bytes.', (d) => d.memory.cache],
  ['memory_mapped_file', 'gauge', 'Memory that maps files, in bytes.', (d) => d.memory.mappedFile],
  ['memory_kernel_usage', 'gauge', "The kernel's memory for it, in bytes.", (d) => d.memory.kernel],
  ['memory_max_usage_bytes', 'gauge', 'The most memory that it has used, in bytes.', (d) => d.memory.max],
  ['memory_failcnt', 'counter', 'How often it ran into the limit of its memory.', (d) => d.memory.failures],
  ['memory_total_active_file_bytes', 'gauge', 'Parts of files in use, in bytes.', (d) => d.memory.activeFile],
  ['memory_total_inactive_file_bytes', 'gauge', 'Parts of files not in use, in bytes.', (d) => d.memory.inactiveFile],
  ['oom_events_total', 'counter', 'How often the kernel killed for want of memory.', (d) => d.oomKills],
  ['threads', 'gauge', 'Threads that run in it.', (d) => d.threads],
  ['threads_max', 'gauge', 'Threads that it may have.', (d) => d.threadsMax],
  ['spec_cpu_period', 'gauge', 'Period of its quota, in microseconds.', (d) => d.spec.cpuPeriod],
  ['spec_cpu_quota', 'gauge', 'Its quota of processor time, in microseconds.', (d) => d.spec.cpuQuota],
  ['spec_cpu_shares', 'gauge', 'Its weight among others, 1024 a processor.', (d) => d.spec.cpuShares],
  ['spec_memory_limit_bytes', 'gauge', 'Limit of its memory, in bytes; 0: none.', (d) => d.spec.memoryLimit],
  ['spec_memory_reservation_limit_bytes', 'gauge', 'Memory kept for it, in bytes.', (d) => d.spec.memoryReservation],
  ['spec_memory_swap_limit_bytes', 'gauge', 'Limit of its swap, in bytes; 0: none.', (d) => d.spec.swapLimit],
];

const SECTOR_BYTES = 512;

/** A kubelet shows zero where the kernel keeps no such count. */
function ofTimes(name: keyof DiskTimes): (disk: DiskDetails) => number {
  return ({ times }) => times?.[name] ?? 0;
}

const diskColumns = [
  ['fs_reads_bytes_total', 'Bytes read.', (disk: DiskDetails) => disk.readBytes],
  ['fs_writes_bytes_total', 'Bytes written.', (disk: DiskDetails) => disk.writtenBytes],
  ['fs_reads_total', 'Reads done.', (disk: DiskDetails) => disk.reads],
  ['fs_writes_total', 'Writes done.', (disk: DiskDetails) => disk.writes],
  ['fs_sector_reads_total', 'Sectors read.', (disk: DiskDetails) => Math.floor(disk.readBytes / SECTOR_BYTES)],
  ['fs_sector_writes_total', 'Sectors written.', (disk: DiskDetails) => Math.floor(disk.writtenBytes / SECTOR_BYTES)],
  ['fs_reads_merged_total', 'Reads merged into others.', ofTimes('mergedReads')],
  ['fs_writes_merged_total', 'Writes merged into others.', ofTimes('mergedWrites')],
  ['fs_read_seconds_total', 'Time spent reading, in seconds.', ofTimes('readSeconds')],
  ['fs_write_seconds_total', 'Time spent writing, in seconds.', ofTimes('writeSeconds')],
  ['fs_io_time_seconds_total', 'Time with a transfer under way, in seconds.', ofTimes('busySeconds')],
  ['fs_io_time_weighted_seconds_total', 'The same, each second by its transfers.', ofTimes('weightedSeconds')],
] as const;

/** Writes cgroup details under cAdvisor's names. `deviceOf` returns the path of a block device by its numbers. */
export function writeDetails(
  text: MetricText,
  rows: readonly DetailedRow[],
  deviceOf: (numbers: string) => string,
): void {
  for (const [name, type, help, value] of columns) {
    const family = text.family(`container_${name}`, type, help);
    for (const { labels, details } of rows) family.add(labels, value(details));
  }
  const onDisks = rows.flatMap(({ labels, details }) =>
    details.disks.map((disk) => {
      const device = deviceOf(`${disk.major}:${disk.minor}`);
      return { labels, disk, device, labelsOfDevice: `${labels},${labelText({ device })}` };
    }),
  );
  for (const [name, help, value] of diskColumns) {
    const family = text.family(`container_${name}`, 'counter', help);
    for (const { labelsOfDevice, disk } of onDisks) family.add(labelsOfDevice, value(disk));
  }
  const current = text.family('container_fs_io_current', 'gauge', 'Transfers under way.');
  for (const { labelsOfDevice, disk } of onDisks) current.add(labelsOfDevice, ofTimes('current')(disk));
  const usage = text.family('container_blkio_device_usage_total', 'counter', 'Bytes by device and operation.');
  for (const { labels, disk, device } of onDisks) {
    const { major, minor } = disk;
    for (const [operation, bytes] of [
      ['Read', disk.readBytes],
      ['Write', disk.writtenBytes],
    ] as const) {
      usage.add(`${labels},${labelText({ device, major, minor, operation })}`, bytes);
    }
  }
}

/** A container, and the resources that its processes hold open. */
export interface HoldingRow {
  readonly labels: string;
  readonly held: ProcessDetails;
}

export function writeHeld(text: MetricText, rows: readonly HoldingRow[]): void {
  const descriptors = text.family(
    'container_file_descriptors',
    'gauge',
    'File descriptors that the processes of the container hold open.',
  );
  for (const { labels, held } of rows) descriptors.add(labels, held.fileDescriptors);
  const sockets = text.family('container_sockets', 'gauge', 'Sockets that the processes of the container hold open.');
  for (const { labels, held } of rows) sockets.add(labels, held.sockets);
  const limits = text.family(
    'container_ulimits_soft',
    'gauge',
    'Soft limits of the first process of the container; -1 when unlimited.',
  );
  for (const { labels, held } of rows) limits.add(`${labels},ulimit="max_open_files"`, held.mayOpen);
}

/** Paths of block devices by their numbers, from `/proc/partitions`. Devices missing there have no path. */
export function blockDevices(partitions: string | undefined): (numbers: string) => string {
  const paths = new Map(
    [...(partitions ?? '').matchAll(/^ *(\d+) +(\d+) +\d+ +(\S+)$/gm)].map(([, major, minor, name]) => [
      `${major}:${minor}`,
      `/dev/${name}`,
    ]),
  );
  return (numbers) => paths.get(numbers) ?? '';
}
