import type { WallMs } from '../actor/clock.ts';
import type { CriClient } from '../cri/client.ts';
import type { FilesystemUsage } from '../cri/gen/api.ts';
import { nodeCgroupPath, podCgroupFolders } from '../node/resources/cgroup-path.ts';
import { maxProcesses } from '../host/max-processes.ts';
import type { NodeFacts } from '../node/object/node-facts.ts';
import { trimStartOf } from '../kube/text/trim-run.ts';
import { readCgroup, known, memoryFigures, type CgroupSource } from './cgroup-figures.ts';
import type { CpuRates } from './cpu-rates.ts';
import {
  memInfoBytes,
  defaultInterface,
  interfaces,
  keyedNumber,
  NO_PRESSURE,
  oneNumber,
  pressure,
  runningProcesses,
} from './kernel-text.ts';
import type { StatsHost } from './stats-host.ts';
import type {
  ContainerStats,
  CpuStats,
  FsStats,
  MemoryStats,
  NetworkStats,
  NodeStats,
  RuntimeStats,
} from './summary.ts';

/** A cgroup between the machine's and those of pods. */
export interface GroupFigures {
  readonly cgroup: string;
  readonly stats: Pick<ContainerStats, 'cpu' | 'memory' | 'io' | 'swap' | 'startTime'>;
}

export type ConfiguredCgroups = Readonly<Partial<Record<'runtime' | 'misc', string | undefined>>>;

export interface NodeMeasuring {
  readonly host: StatsHost;
  readonly cri: CriClient;
  readonly node: NodeFacts;
  readonly rates: CpuRates;
  /** The cgroups of the container runtime and of other processes, where the configuration names them. */
  readonly configured?: ConfiguredCgroups;
  /** Milliseconds since the epoch. */
  readonly now: WallMs;
}

/** How long the runtime may take for a figure. */
export const FIGURE_WITHIN_MS = 8_000;
const USER_HERTZ = 100;
const PAGE_BYTES = 4096;

export const cgroupSource = ({ host, node }: Pick<NodeMeasuring, 'host' | 'node'>): CgroupSource => ({
  read: (path) => host.read(path),
  mount: '/sys/fs/cgroup',
  version: node.cgroupVersion,
});

/**
 * Measures the usage and capacity of the node itself. Values that the runtime or the kernel does not report are
 * left out.
 */
export async function measureNode(measuring: NodeMeasuring): Promise<NodeStats> {
  const { host, node, now } = measuring;
  const time = new Date(now).toISOString();
  const [fs, runtime] = await Promise.all([host.fileSystem(node.rootDir), measureRuntime(measuring)]);
  const stat = host.read('/proc/stat');
  const bootSeconds = keyedNumber(stat, 'btime');
  const memInfo = host.read('/proc/meminfo');
  const [swapTotal, swapFree] = [memInfoBytes(memInfo, 'SwapTotal'), memInfoBytes(memInfo, 'SwapFree')];
  const ioPressure = pressure(host.read('/proc/pressure/io')) ?? NO_PRESSURE;
  const limits = { maxpid: maxProcesses(host), curproc: runningProcesses(host.read('/proc/loadavg')) };
  return {
    nodeName: node.nodeName,
    systemContainers: systemContainers(measuring, bootSeconds),
    startTime: new Date(bootSeconds === undefined ? now : bootSeconds * 1_000).toISOString(),
    cpu: nodeCpu(measuring, stat),
    memory: nodeMemory(measuring),
    io: { time, psi: ioPressure },
    network: nodeNetwork(host, time),
    ...(fs && { fs: { time, ...fs } }),
    runtime,
    rlimit: { time, ...known(limits) },
    ...(swapTotal !== undefined &&
      swapFree !== undefined && {
        swap: { time, swapAvailableBytes: swapFree, swapUsageBytes: swapTotal - swapFree },
      }),
  };
}

/** The node's memory as eviction sees it: its root cgroup's usage of the machine's capacity. */
export function nodeMemory({ host, node, now }: Pick<NodeMeasuring, 'host' | 'node' | 'now'>): MemoryStats {
  const source = cgroupSource({ host, node });
  const memInfo = host.read('/proc/meminfo');
  const total = memInfoBytes(memInfo, 'MemTotal');
  const free = memInfoBytes(memInfo, 'MemFree');
  const root = readCgroup(source, '/').memory;
  const stat = host.read(`${source.mount}/memory.stat`);
  // The root cgroup of version 2 does not report its usage: the machine's figures are used.
  const ofMachine = (): Omit<MemoryStats, 'time'> =>
    memoryFigures({
      usage: total === undefined || free === undefined ? undefined : total - free,
      inactiveFile: keyedNumber(stat, 'inactive_file') ?? memInfoBytes(memInfo, 'Inactive(file)'),
      rss: keyedNumber(stat, 'anon') ?? memInfoBytes(memInfo, 'AnonPages'),
      faults: keyedNumber(stat, 'pgfault'),
      majorFaults: keyedNumber(stat, 'pgmajfault'),
      limit: undefined,
    });
  const figures = root.usageBytes === undefined ? ofMachine() : root;
  const { workingSetBytes } = figures;
  const psi = pressure(host.read('/proc/pressure/memory')) ?? NO_PRESSURE;
  return {
    time: new Date(now).toISOString(),
    ...figures,
    ...(total !== undefined &&
      workingSetBytes !== undefined && { availableBytes: Math.max(0, total - workingSetBytes) }),
    psi,
  };
}

function nodeCpu({ host, node, rates, now }: NodeMeasuring, stat: string | undefined): CpuStats {
  const usage = readCgroup(cgroupSource({ host, node }), '/').cpu.usageCoreNanoSeconds ?? busyNanoseconds(stat);
  const psi = pressure(host.read('/proc/pressure/cpu')) ?? NO_PRESSURE;
  return {
    time: new Date(now).toISOString(),
    ...known({ usageNanoCores: usage === undefined ? undefined : rates.sample('node', now, usage) }),
    ...known({ usageCoreNanoSeconds: usage }),
    psi,
  };
}

/** From `/proc/stat`: all time that was neither idle nor waiting for a disk. */
function busyNanoseconds(stat: string | undefined): number | undefined {
  const line = (stat ?? '').split('\n').find((each) => each.startsWith('cpu '));
  if (line === undefined) return undefined;
  const words = trimStartOf(line.slice('cpu'.length), ' ').split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = words;
  return (user + nice + system + irq + softIrq + steal) * (1_000_000_000 / USER_HERTZ);
}

function nodeNetwork(host: StatsHost, time: string): NetworkStats {
  const all = interfaces(host.read('/proc/net/dev'));
  const name = defaultInterface(host.read('/proc/net/route'));
  return { time, ...all.find((each) => each.name === name), interfaces: all };
}

async function measureRuntime({ host, cri, now }: NodeMeasuring): Promise<RuntimeStats> {
  const outcome = await cri.call('ImageFsInfo', {}, { timeoutMs: FIGURE_WITHIN_MS });
  if (!outcome.ok) return {};
  const { imageFilesystems, containerFilesystems } = outcome.value;
  const [images] = imageFilesystems;
  const [containers = images] = containerFilesystems;
  const [imageFs, containerFs] = await Promise.all([runtimeFs(host, images, now), runtimeFs(host, containers, now)]);
  return known({ imageFs, containerFs });
}

async function runtimeFs(
  host: StatsHost,
  usage: FilesystemUsage | undefined,
  now: WallMs,
): Promise<FsStats | undefined> {
  const path = usage?.fsId?.mountpoint ?? '';
  if (usage === undefined || path === '') return undefined;
  const figures = await host.fileSystem(path);
  if (figures === undefined) return undefined;
  const used = { usedBytes: optional(usage.usedBytes), inodesUsed: optional(usage.inodesUsed) };
  return { time: new Date(now).toISOString(), ...figures, ...known(used) };
}

const optional = (field: { readonly value: bigint } | undefined): number | undefined =>
  field === undefined ? undefined : Number(field.value);

/** The agent itself, all pods together, and what the configuration names. */
function systemContainers(measuring: NodeMeasuring, bootSeconds: number | undefined): readonly ContainerStats[] {
  const { host, rates, now } = measuring;
  const time = new Date(now).toISOString();
  const found: ContainerStats[] = [];
  const self = ownFigures(host);
  if (self !== undefined) {
    const { cpuNanoseconds, rssBytes, startTicks, pageFaults, majorPageFaults } = self;
    const nanoCores = rates.sample('kubelet', now, cpuNanoseconds);
    const startedAt = bootSeconds === undefined ? now : (bootSeconds + startTicks / USER_HERTZ) * 1_000;
    found.push({
      name: 'kubelet',
      startTime: new Date(startedAt).toISOString(),
      cpu: { time, ...known({ usageNanoCores: nanoCores }), usageCoreNanoSeconds: cpuNanoseconds, psi: NO_PRESSURE },
      memory: {
        time,
        ...known({ usageBytes: rssBytes, workingSetBytes: rssBytes, rssBytes }),
        pageFaults,
        majorPageFaults,
        psi: NO_PRESSURE,
      },
      io: { time, psi: NO_PRESSURE },
    });
  }
  for (const [name, cgroup] of systemCgroups(measuring)) {
    const { cpu, memory, io } = readCgroup(cgroupSource(measuring), cgroup);
    const usage = cpu.usageCoreNanoSeconds;
    const nanoCores = usage === undefined ? undefined : rates.sample(name, now, usage);
    if (usage === undefined && memory.usageBytes === undefined) continue;
    found.push({
      name,
      startTime: new Date(bootSeconds === undefined ? now : bootSeconds * 1_000).toISOString(),
      cpu: { time, ...known({ usageNanoCores: nanoCores }), psi: NO_PRESSURE, ...cpu },
      memory: { time, pageFaults: 0, majorPageFaults: 0, psi: NO_PRESSURE, ...memory },
      io: { time, psi: io?.psi ?? NO_PRESSURE },
    });
  }
  return found;
}

/**
 * Measures the cgroup of all pods and those of their classes. Empty where this agent does not manage them: figures of
 * another agent's leftovers would be wrong.
 */
export function measureGroups(
  measuring: Pick<NodeMeasuring, 'host' | 'node' | 'now'>,
  startTime: string,
): readonly GroupFigures[] {
  const { node, now } = measuring;
  if (node.managesCgroups !== true || !node.cgroupsPerQos) return [];
  const time = new Date(now).toISOString();
  return [...new Set([nodeCgroupPath(node), ...podCgroupFolders(node)])].flatMap((cgroup) => {
    const { cpu, memory, swap, io } = readCgroup(cgroupSource(measuring), cgroup);
    if (cpu.usageCoreNanoSeconds === undefined && memory.usageBytes === undefined) return [];
    const stats = {
      startTime,
      cpu: { time, psi: NO_PRESSURE, ...cpu },
      memory: { time, psi: NO_PRESSURE, ...memory },
      io: { time, psi: io?.psi ?? NO_PRESSURE },
      ...(swap && { swap: { time, ...swap } }),
    };
    return [{ cgroup, stats }];
  });
}

/** The cgroups beside the agent's own that the Summary API shows, by their names there. */
function systemCgroups({ node, configured }: NodeMeasuring): readonly (readonly [name: string, cgroup: string])[] {
  const named = [
    ['runtime', configured?.runtime],
    ['misc', configured?.misc],
    // Another agent's leftover cgroups would be wrong figures for this agent's pods.
    ['pods', node.managesCgroups === true && node.cgroupsPerQos ? nodeCgroupPath(node) : undefined],
  ] as const;
  return named.flatMap(([name, cgroup]) => (cgroup ? [[name, `/${trimStartOf(cgroup, '/')}`] as const] : []));
}

/** This process, from `/proc/self/stat`. Fields are counted from behind the name, which may contain spaces. */
function ownFigures(host: StatsHost) {
  const words = host
    .read('/proc/self/stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  const [user, system, startTicks] = [words?.[11], words?.[12], words?.[19]];
  const [minorFaults = 0, majorFaults = 0] = [words?.[7], words?.[9]];
  if (user === undefined || system === undefined || startTicks === undefined) return undefined;
  const pages = oneNumber(host.read('/proc/self/statm')?.split(' ')[1]);
  return {
    cpuNanoseconds: (user + system) * (1_000_000_000 / USER_HERTZ),
    rssBytes: pages === undefined ? undefined : pages * PAGE_BYTES,
    startTicks,
    pageFaults: minorFaults + majorFaults,
    majorPageFaults: majorFaults,
  };
}
