import type { HostReader } from './machine-facts.ts';

/** The topology of a machine's processors and memory. */
export interface MachineShape {
  readonly sockets: number;
  readonly physicalCores: number;
  readonly nodes: readonly MemoryNode[];
  readonly threads: readonly HardwareThread[];
}

/** Memory with its nearby processors. */
export interface MemoryNode {
  readonly id: number;
  readonly memoryBytes: number | undefined;
  readonly hugePages: readonly { readonly kibibytes: number; readonly count: number }[];
  /** Distance to each node, itself included. */
  readonly distances: readonly number[];
}

/** A processor in the kernel's sense. */
export interface HardwareThread {
  readonly thread: number;
  readonly core: string;
  readonly node: number;
  /** How many threads its core has, itself included. */
  readonly siblings: number;
}

const NODES = '/sys/devices/system/node';
const PROCESSORS = '/sys/devices/system/cpu';

type Reader = Pick<HostReader, 'read' | 'list'>;

/**
 * Reads the topology from the kernel (`sysfs`). Missing details are left out. Without any details there is one of each.
 */
export function readMachineShape(host: Reader): MachineShape {
  const nodeIds = numbered(host.list(NODES), 'node');
  const processors = numbered(host.list(PROCESSORS), 'cpu');
  const nodeOf = new Map(
    nodeIds.flatMap((id) => numbered(host.list(`${NODES}/node${id}`), 'cpu').map((cpu) => [cpu, id] as const)),
  );
  const topology = (cpu: number, what: string): string | undefined =>
    host.read(`${PROCESSORS}/cpu${cpu}/topology/${what}`)?.trim();
  const placed = processors.map((thread) => ({
    thread,
    socket: topology(thread, 'physical_package_id') ?? '0',
    core: topology(thread, 'core_id') ?? String(thread),
    node: nodeOf.get(thread) ?? 0,
    siblings: countOfList(topology(thread, 'thread_siblings_list')),
  }));
  return {
    sockets: Math.max(1, new Set(placed.map(({ socket }) => socket)).size),
    physicalCores: Math.max(1, new Set(placed.map(({ socket, core }) => `${socket}/${core}`)).size),
    nodes: nodeIds.map((id) => memoryNode(host, id)),
    threads: placed.map(({ thread, core, node, siblings }) => ({ thread, core, node, siblings })),
  };
}

function memoryNode(host: Reader, id: number): MemoryNode {
  const folder = `${NODES}/node${id}`;
  const kibibytes = /MemTotal:\s+(\d+) kB/.exec(host.read(`${folder}/meminfo`) ?? '')?.[1];
  const hugePages = host.list(`${folder}/hugepages`).flatMap((name) => {
    const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    const count = /^\d+/.exec(host.read(`${folder}/hugepages/${name}/nr_hugepages`) ?? '')?.[0];
    return size === undefined || count === undefined ? [] : [{ kibibytes: Number(size), count: Number(count) }];
  });
  const distances = (host.read(`${folder}/distance`) ?? '').split(/\s+/).filter((word) => word !== '');
  return {
    id,
    memoryBytes: kibibytes === undefined ? undefined : Number(kibibytes) * 1024,
    hugePages: hugePages.toSorted((one, other) => one.kibibytes - other.kibibytes),
    distances: distances.map(Number),
  };
}

const numbered = (names: readonly string[], of: string): readonly number[] =>
  names
    .flatMap((name) =>
      name.startsWith(of) && /^\d+$/.test(name.slice(of.length)) ? Number(name.slice(of.length)) : [],
    )
    .toSorted((one, other) => one - other);

/** Returns how many items a kernel list has: `0-3,8`. */
function countOfList(list = ''): number {
  let count = 0;
  for (const part of list.split(',')) {
    const [from = '', to = from] = part.split('-');
    if (from !== '') count += Number(to) - Number(from) + 1;
  }
  return Math.max(1, count);
}
