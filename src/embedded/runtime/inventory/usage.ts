import type { ContainerStats, CpuUsage, MemoryUsage, PodSandboxStats, UInt64Value } from '../../../cri/gen/api.ts';
import { ContainerState } from '../../../cri/gen/api.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';
import type { ScriptedUsage } from '../script/script.ts';

/** The instant of the figures, and the source of scripted usage. */
export interface UsageView {
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
  readonly scripted: (container: ContainerRecord) => ScriptedUsage | undefined;
  /** The reported mount point of images and writable layers. */
  readonly mountpoint: string;
}

interface Amounts {
  readonly cpuNanoseconds: bigint;
  readonly nanoCores: bigint;
  readonly memoryBytes: bigint;
  readonly diskBytes: bigint;
}

const MIB = 1024 * 1024;
const NOTHING: Amounts = { cpuNanoseconds: 0n, nanoCores: 0n, memoryBytes: 0n, diskBytes: 0n };

const value = (amount: bigint): UInt64Value => ({ value: amount });

/** A small default usage: it differs between containers and is the same every time. */
function defaultUsage(container: ContainerRecord): ScriptedUsage {
  const flavour = Number.parseInt(container.id.slice(0, 2), 16);
  return { cpuMillicores: 1 + (flavour % 8), memoryBytes: (4 + (flavour % 16)) * MIB, diskBytes: 16 * 1024 };
}

function amounts(container: ContainerRecord, view: UsageView): Amounts {
  const usage = view.scripted(container) ?? defaultUsage(container);
  if (container.state !== ContainerState.CONTAINER_RUNNING) return { ...NOTHING, diskBytes: BigInt(usage.diskBytes) };
  const ranFor = view.at > container.startedAt ? view.at - container.startedAt : 0n;
  return {
    cpuNanoseconds: (ranFor * BigInt(usage.cpuMillicores)) / 1000n,
    nanoCores: BigInt(usage.cpuMillicores) * 1_000_000n,
    memoryBytes: BigInt(usage.memoryBytes),
    diskBytes: BigInt(usage.diskBytes),
  };
}

const cpu = (used: Amounts, at: bigint): CpuUsage => ({
  timestamp: at,
  usageCoreNanoSeconds: value(used.cpuNanoseconds),
  usageNanoCores: value(used.nanoCores),
  psi: undefined,
});

const memory = (used: Amounts, at: bigint): MemoryUsage => ({
  timestamp: at,
  workingSetBytes: value(used.memoryBytes),
  availableBytes: value(0n),
  usageBytes: value(used.memoryBytes),
  rssBytes: value(used.memoryBytes),
  pageFaults: value(0n),
  majorPageFaults: value(0n),
  psi: undefined,
});

/** Returns a container's present usage. Its CPU time grows steadily while it runs. */
export function containerUsage(container: ContainerRecord, view: UsageView): ContainerStats {
  const used = amounts(container, view);
  return {
    attributes: {
      id: container.id,
      metadata: container.config.metadata,
      labels: container.config.labels,
      annotations: container.config.annotations,
    },
    cpu: cpu(used, view.at),
    memory: memory(used, view.at),
    writableLayer: {
      timestamp: view.at,
      fsId: { mountpoint: view.mountpoint },
      usedBytes: value(used.diskBytes),
      inodesUsed: value(8n),
    },
    swap: { timestamp: view.at, swapAvailableBytes: value(0n), swapUsageBytes: value(0n) },
    io: undefined,
  };
}

/** Returns the present usage of a sandbox with all its containers. */
export function sandboxUsage(sandbox: SandboxRecord, view: UsageView): PodSandboxStats {
  const members = [...sandbox.containers.values()];
  let total = NOTHING;
  for (const container of members) {
    const used = amounts(container, view);
    total = {
      cpuNanoseconds: total.cpuNanoseconds + used.cpuNanoseconds,
      nanoCores: total.nanoCores + used.nanoCores,
      memoryBytes: total.memoryBytes + used.memoryBytes,
      diskBytes: total.diskBytes + used.diskBytes,
    };
  }
  const network = { name: 'eth0', rxBytes: value(0n), rxErrors: value(0n), txBytes: value(0n), txErrors: value(0n) };
  const running = members.filter((container) => container.state === ContainerState.CONTAINER_RUNNING).length;
  return {
    attributes: {
      id: sandbox.id,
      metadata: sandbox.config.metadata,
      labels: sandbox.config.labels,
      annotations: sandbox.config.annotations,
    },
    linux: {
      cpu: cpu(total, view.at),
      memory: memory(total, view.at),
      network: sandbox.ip === '' ? undefined : { timestamp: view.at, defaultInterface: network, interfaces: [] },
      process: { timestamp: view.at, processCount: value(BigInt(running)) },
      containers: members.map((container) => containerUsage(container, view)),
      io: undefined,
    },
    windows: undefined,
  };
}
