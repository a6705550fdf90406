import type { ContainerStats as CriContainerStats, PodSandboxStats } from '../cri/gen/api.ts';
import { ContainerState, PodSandboxState, type Container, type PodSandbox } from '../cri/gen/api.ts';
import { CONTAINER_NAME_LABEL, POD_NAME_LABEL, POD_NAMESPACE_LABEL, POD_UID_LABEL } from '../pod/values/pod-labels.ts';
import { readCgroup, type CgroupFigures } from './cgroup-figures.ts';
import { cpuFromCri, memoryFromCri, networkFromCri, psiFromCri, swapFromCri } from './cri-figures.ts';
import { NO_PRESSURE } from './kernel-text.ts';
import { cgroupSource, FIGURE_WITHIN_MS, type NodeMeasuring } from './measure-node.ts';
import { PodCgroups } from './pod-cgroups.ts';
import type { FileSystemFigures } from './stats-host.ts';
import type { ContainerStats, CpuStats, FsStats, MemoryStats, PodStats } from './summary.ts';

/** A pod with its containers, and figures beyond the Summary API. */
export interface MeasuredPod {
  /** Without disk usage of its folders, which is walked at other times. */
  readonly stats: PodStats;
  readonly sandboxId: string;
  /** Absent for a pod without a cgroup, such as a simulated one. */
  readonly cgroup: string | undefined;
  readonly containers: readonly MeasuredContainer[];
}

export interface MeasuredContainer {
  readonly stats: ContainerStats;
  readonly id: string;
  readonly image: string;
  readonly cgroup: string | undefined;
}

/** How the runtime is asked for stats: by pod, or by container if it cannot do so. */
export type FiguresFrom = 'pods' | 'containers';

export interface MeasuredPods {
  readonly pods: readonly MeasuredPod[];
  /** The call that the runtime supports. */
  readonly from: FiguresFrom;
}

/** Measures all running pods. `undefined` when the runtime does not answer. */
export async function measurePods(measuring: NodeMeasuring, from: FiguresFrom): Promise<MeasuredPods | undefined> {
  const { cri } = measuring;
  const within = { timeoutMs: FIGURE_WITHIN_MS };
  const running = { id: '', state: { state: ContainerState.CONTAINER_RUNNING }, podSandboxId: '', labelSelector: {} };
  const ready = { id: '', state: { state: PodSandboxState.SANDBOX_READY }, labelSelector: {} };
  const [sandboxes, containers, figures] = await Promise.all([
    cri.call('ListPodSandbox', { filter: ready }, within),
    cri.call('ListContainers', { filter: running }, within),
    runtimeFigures(measuring, from),
  ]);
  if (!sandboxes.ok || !containers.ok || figures === undefined) return undefined;
  const disks = await writableDisks(measuring, figures.containers.values());
  const round: Round = { ...measuring, ...figures, disks, time: new Date(measuring.now).toISOString() };
  const cgroups = new PodCgroups(measuring.host, cgroupSource(measuring), measuring.node);
  const byPod = new Map<string, Container[]>();
  for (const container of containers.value.containers) {
    const members = byPod.get(container.podSandboxId);
    if (members === undefined) byPod.set(container.podSandboxId, [container]);
    else members.push(container);
  }
  const pods = newestOfEach(sandboxes.value.items).map((sandbox) =>
    measuredPod(sandbox, byPod.get(sandbox.id) ?? [], { round, cgroups }),
  );
  return { pods, from: figures.from };
}

interface RuntimeFigures {
  readonly from: FiguresFrom;
  readonly sandboxes: ReadonlyMap<string, PodSandboxStats>;
  readonly containers: ReadonlyMap<string, CriContainerStats>;
}

interface Round extends NodeMeasuring, RuntimeFigures {
  readonly disks: ReadonlyMap<string, FileSystemFigures>;
  readonly time: string;
}

async function runtimeFigures({ cri }: NodeMeasuring, from: FiguresFrom): Promise<RuntimeFigures | undefined> {
  const within = { timeoutMs: FIGURE_WITHIN_MS };
  if (from === 'pods') {
    const outcome = await cri.call('ListPodSandboxStats', { filter: undefined }, within);
    if (outcome.ok) {
      const sandboxes = new Map<string, PodSandboxStats>();
      const containers = new Map<string, CriContainerStats>();
      for (const each of outcome.value.stats) {
        sandboxes.set(each.attributes?.id ?? '', each);
        for (const one of each.linux?.containers ?? []) containers.set(one.attributes?.id ?? '', one);
      }
      return { from, sandboxes, containers };
    }
    // Some runtimes do not know the call; others fail it for all pods when it fails for one.
    const next = outcome.fault.code === 'UNIMPLEMENTED' ? 'containers' : 'pods';
    const figures = await containerFigures({ cri });
    return figures && { ...figures, from: next };
  }
  return containerFigures({ cri });
}

async function containerFigures({ cri }: Pick<NodeMeasuring, 'cri'>): Promise<RuntimeFigures | undefined> {
  const outcome = await cri.call('ListContainerStats', { filter: undefined }, { timeoutMs: FIGURE_WITHIN_MS });
  if (!outcome.ok) return undefined;
  const containers = new Map(outcome.value.stats.map((each) => [each.attributes?.id ?? '', each]));
  return { from: 'containers', sandboxes: new Map(), containers };
}

/** Usually one file system for all containers; a few at most. */
async function writableDisks({ host }: NodeMeasuring, containers: Iterable<CriContainerStats>) {
  const paths = new Set<string>();
  for (const { writableLayer } of containers) paths.add(writableLayer?.fsId?.mountpoint ?? '');
  paths.delete('');
  const found = await Promise.all([...paths].map(async (path) => [path, await host.fileSystem(path)] as const));
  return new Map(found.flatMap(([path, figures]) => (figures === undefined ? [] : [[path, figures] as const])));
}

/** A pod whose sandbox was replaced has two for a moment. */
function newestOfEach(sandboxes: readonly PodSandbox[]): readonly PodSandbox[] {
  const newest = new Map<string, PodSandbox>();
  for (const sandbox of sandboxes) {
    const uid = sandbox.labels[POD_UID_LABEL] ?? sandbox.metadata?.uid ?? '';
    const other = newest.get(uid);
    if (other === undefined || other.createdAt < sandbox.createdAt) newest.set(uid, sandbox);
  }
  newest.delete('');
  return [...newest.values()];
}

function measuredPod(
  sandbox: PodSandbox,
  members: readonly Container[],
  { round, cgroups }: { readonly round: Round; readonly cgroups: PodCgroups },
): MeasuredPod {
  const { labels, metadata, id } = sandbox;
  const uid = labels[POD_UID_LABEL] ?? metadata?.uid ?? '';
  const cgroup = cgroups.pathOf(uid);
  const below = cgroups.containersOf(uid);
  const containers = newestOfName(members).map((each) => measuredContainer(each, below.get(each.id), round));
  const said = round.sandboxes.get(id)?.linux;
  const { time } = round;
  const ownCpu = cpuFromCri(said?.cpu, time);
  const ownMemory = memoryFromCri(said?.memory, time);
  const ownCgroup = fromCgroup(round, cgroup, { cpu: ownCpu, memory: ownMemory });
  const cpu = ownCpu ?? withTime(ownCgroup?.cpu, time) ?? sumOfCpu(containers, time);
  const memory = ownMemory ?? withTime(ownCgroup?.memory, time) ?? sumOfMemory(containers, time);
  const network = networkFromCri(said?.network, time);
  const processes = said?.process?.processCount;
  const stats: PodStats = {
    podRef: {
      name: labels[POD_NAME_LABEL] ?? metadata?.name ?? '',
      namespace: labels[POD_NAMESPACE_LABEL] ?? metadata?.namespace ?? '',
      uid,
    },
    startTime: instantOf(sandbox.createdAt),
    containers: containers.map((each) => each.stats),
    ...(cpu && { cpu: { psi: NO_PRESSURE, ...withRate(round, `pod/${uid}`, cpu) } }),
    ...(memory && { memory: { psi: NO_PRESSURE, ...memory } }),
    io: { time, psi: psiFromCri(said?.io?.psi) ?? ownCgroup?.io?.psi ?? NO_PRESSURE },
    ...(network && { network }),
    ...(processes !== undefined && { process_stats: { process_count: Number(processes.value) } }),
    ...(ownCgroup?.swap && { swap: { time, ...ownCgroup.swap } }),
  };
  return { stats, sandboxId: id, cgroup, containers };
}

/** A restarted container may be listed twice for a moment. */
function newestOfName(members: readonly Container[]): readonly Container[] {
  if (members.length < 2) return members;
  const newest = new Map<string, Container>();
  for (const container of members) {
    const other = newest.get(nameOf(container));
    if (other === undefined || other.createdAt < container.createdAt) newest.set(nameOf(container), container);
  }
  return [...newest.values()];
}

const nameOf = ({ labels, metadata }: Container): string => labels[CONTAINER_NAME_LABEL] ?? metadata?.name ?? '';

function measuredContainer(container: Container, cgroup: string | undefined, round: Round): MeasuredContainer {
  const { time } = round;
  const said = round.containers.get(container.id);
  const runtimeCpu = cpuFromCri(said?.cpu, time);
  const runtimeMemory = memoryFromCri(said?.memory, time);
  const own = fromCgroup(round, cgroup, { cpu: runtimeCpu, memory: runtimeMemory });
  const cpu = runtimeCpu ?? withTime(own?.cpu, time);
  // The runtime's own figure comes first; figures that it leaves out, as older runtimes do, come from the kernel.
  const memory = runtimeMemory === undefined ? withTime(own?.memory, time) : { ...own?.memory, ...runtimeMemory };
  const swap = swapFromCri(said?.swap, time) ?? (own?.swap && { time, ...own.swap });
  const rootfs = rootfsOf(said, round);
  const stats: ContainerStats = {
    name: nameOf(container),
    startTime: instantOf(container.createdAt),
    ...(cpu && { cpu: { psi: NO_PRESSURE, ...withRate(round, container.id, cpu) } }),
    ...(memory && { memory: { psi: NO_PRESSURE, ...memory } }),
    io: { time, psi: psiFromCri(said?.io?.psi) ?? own?.io?.psi ?? NO_PRESSURE },
    ...(rootfs && { rootfs }),
    ...(swap && { swap }),
  };
  return { stats, id: container.id, image: container.image?.image || container.imageRef, cgroup };
}

/** The kernel's figures, read only when the runtime's are incomplete: each costs a handful of reads. */
function fromCgroup(
  round: Round,
  cgroup: string | undefined,
  said: { readonly cpu: CpuStats | undefined; readonly memory: MemoryStats | undefined },
): CgroupFigures | undefined {
  const isComplete = said.cpu !== undefined && said.memory?.usageBytes !== undefined;
  return cgroup === undefined || isComplete ? undefined : readCgroup(cgroupSource(round), cgroup);
}

const withTime = <T extends object>(figures: T | undefined, time: string): (T & { time: string }) | undefined =>
  figures === undefined || Object.keys(figures).length === 0 ? undefined : { time, ...figures };

function withRate({ rates, now }: Round, key: string, cpu: CpuStats): CpuStats {
  if (cpu.usageNanoCores !== undefined || cpu.usageCoreNanoSeconds === undefined) return cpu;
  const usageNanoCores = rates.sample(key, now, cpu.usageCoreNanoSeconds);
  return usageNanoCores === undefined ? cpu : { ...cpu, usageNanoCores };
}

function rootfsOf(said: CriContainerStats | undefined, { disks, time }: Round): FsStats | undefined {
  const layer = said?.writableLayer;
  if (layer === undefined) return undefined;
  const disk = disks.get(layer.fsId?.mountpoint ?? '');
  return {
    time,
    ...disk,
    // Usage of the layer, not of its disk.
    usedBytes: Number(layer.usedBytes?.value ?? 0n),
    inodesUsed: Number(layer.inodesUsed?.value ?? 0n),
  };
}

function sumOfCpu(containers: readonly MeasuredContainer[], time: string): CpuStats | undefined {
  const parts = containers.flatMap(({ stats: { cpu } }) => (cpu === undefined ? [] : [cpu]));
  if (parts.length === 0) return undefined;
  return { time, usageCoreNanoSeconds: sum(parts.map((part) => part.usageCoreNanoSeconds)) };
}

function sumOfMemory(containers: readonly MeasuredContainer[], time: string): MemoryStats | undefined {
  const parts = containers.flatMap(({ stats: { memory } }) => (memory === undefined ? [] : [memory]));
  if (parts.length === 0) return undefined;
  return {
    time,
    usageBytes: sum(parts.map((part) => part.usageBytes ?? part.workingSetBytes)),
    workingSetBytes: sum(parts.map((part) => part.workingSetBytes)),
    rssBytes: sum(parts.map((part) => part.rssBytes)),
  };
}

const sum = (amounts: readonly (number | undefined)[]): number =>
  amounts.reduce((total: number, amount) => total + (amount ?? 0), 0);

/** Converts nanoseconds since the epoch to RFC 3339. */
const instantOf = (nanoseconds: bigint): string => new Date(Number(nanoseconds / 1_000_000n)).toISOString();
