import type { WallMs } from '../actor/clock.ts';
import type { MachineShape } from '../host/machine-shape.ts';
import { type DetailedRow, type HoldingRow, writeDetails, writeHeld } from './cadvisor-details.ts';
import type { CgroupDetails } from './cgroup-details.ts';
import type { InterfacePackets } from './kernel-text.ts';
import type { GroupFigures } from './measure-node.ts';
import type { MeasuredContainer, MeasuredPod } from './measure-pods.ts';
import { writeShape } from './machine-shape-metrics.ts';
import type { ProcessDetails } from './process-details.ts';
import { labelText, MetricText } from './metric-text.ts';
import type { FsStats, InterfaceStats, NodeStats } from './summary.ts';

const NANO = 1e-9;

/** The labels that identify the machine on dashboards. */
export interface MachineLabels {
  readonly machine_id: string;
  readonly system_uuid: string;
  readonly boot_id: string;
}

export interface MachineFigures {
  readonly labels: MachineLabels;
  readonly kernelVersion: string;
  readonly osVersion: string;
  readonly logicalCores: number;
  readonly memoryBytes: number | undefined;
  readonly swapBytes: number | undefined;
  readonly shape: MachineShape;
}

interface Row {
  readonly labels: string;
  readonly stats: Pick<MeasuredContainer['stats'], 'cpu' | 'memory' | 'io' | 'rootfs' | 'swap' | 'startTime'>;
  /** The file system of the machine. A container has none: what is left on the node's is no figure of its own. */
  readonly disk?: FsStats | undefined;
}

interface PodRow extends Row {
  readonly stats: MeasuredPod['stats'];
}

/** A cAdvisor metric, and the source of its value. */
interface Column {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Further labels, after a comma. */
  readonly also?: string;
  readonly value: (row: Row) => number | undefined;
}

const columns: readonly Column[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    type: 'counter',
    help: 'Processor time used, in seconds.',
    also: 'cpu="total"',
    value: ({ stats: { cpu } }) => times(cpu?.usageCoreNanoSeconds, NANO),
  },
  {
    name: 'container_memory_usage_bytes',
    type: 'gauge',
    help: 'Memory used, caches included, in bytes.',
    value: ({ stats: { memory } }) => memory?.usageBytes,
  },
  {
    name: 'container_memory_working_set_bytes',
    type: 'gauge',
    help: 'Working set: memory that cannot be reclaimed, in bytes.',
    value: ({ stats: { memory } }) => memory?.workingSetBytes,
  },
  {
    name: 'container_memory_rss',
    type: 'gauge',
    help: 'Anonymous memory, in bytes.',
    value: ({ stats: { memory } }) => memory?.rssBytes,
  },
  {
    name: 'container_memory_swap',
    type: 'gauge',
    help: 'Memory that was swapped out, in bytes.',
    value: ({ stats: { swap } }) => swap?.swapUsageBytes ?? 0,
  },
  {
    name: 'container_memory_failures_total',
    type: 'counter',
    help: 'Page faults.',
    also: 'failure_type="pgfault",scope="container"',
    value: ({ stats: { memory } }) => memory?.pageFaults,
  },
  {
    name: 'container_memory_failures_total',
    type: 'counter',
    help: 'Page faults.',
    also: 'failure_type="pgmajfault",scope="container"',
    value: ({ stats: { memory } }) => memory?.majorPageFaults,
  },
  {
    name: 'container_fs_usage_bytes',
    type: 'gauge',
    help: 'Size of the writable layer, in bytes.',
    also: 'device=""',
    value: ({ stats: { rootfs } }) => rootfs?.usedBytes,
  },
  {
    name: 'container_fs_limit_bytes',
    type: 'gauge',
    help: 'Size of the file system that the writable layer is on, in bytes.',
    also: 'device=""',
    value: ({ stats: { rootfs } }) => rootfs?.capacityBytes,
  },
  {
    name: 'container_fs_inodes_free',
    type: 'gauge',
    help: 'Inodes left on the file system of the node.',
    also: 'device=""',
    value: ({ disk }) => disk?.inodesFree,
  },
  {
    name: 'container_fs_inodes_total',
    type: 'gauge',
    help: 'Inodes of the file system of the node.',
    also: 'device=""',
    value: ({ disk }) => disk?.inodes,
  },
  {
    name: 'container_start_time_seconds',
    type: 'gauge',
    help: 'Start time of the container, in seconds since the epoch.',
    value: ({ stats: { startTime } }) => Date.parse(startTime) / 1_000,
  },
  ...(['cpu', 'memory', 'io'] as const).flatMap((resource) =>
    (
      [
        ['waiting', 'some', 'any of its processes'],
        ['stalled', 'full', 'all of its processes'],
      ] as const
    ).map(([word, kind, who]): Column => ({
      name: `container_pressure_${resource}_${word}_seconds_total`,
      type: 'counter',
      help: `How long ${who} had to wait for ${resource === 'io' ? 'input or output' : resource}.`,
      value: ({ stats }) => times(stats[resource]?.psi?.[kind].total, NANO),
    })),
  ),
];

const times = (amount: number | undefined, factor: number): number | undefined =>
  amount === undefined ? undefined : amount * factor;

/**
 * Prometheus text of `/metrics/cadvisor`: cAdvisor's names and labels, so that dashboards work unchanged. Contains
 * the metrics that the runtime and the Summary API know. A pod's own row, and its network, have an empty
 * `container`.
 */
export function cadvisorMetrics(measured: {
  readonly node: NodeStats;
  readonly pods: readonly MeasuredPod[];
  /** The cgroup of all pods, and those of their classes. */
  readonly groups?: readonly GroupFigures[];
  readonly machine: MachineFigures;
  /** Milliseconds since the epoch. */
  readonly now: WallMs;
  /** Cgroup details by path; `/` is the machine's. Left out when absent. */
  readonly details?: ReadonlyMap<string, CgroupDetails>;
  /** Resources that the processes of each cgroup hold open. */
  readonly held?: ReadonlyMap<string, ProcessDetails | undefined>;
  /** Returns the path of a block device by its numbers (`8:0`). */
  readonly deviceOf?: (numbers: string) => string;
}): string {
  const { node, pods, groups = [], machine, now, details, held: holds, deviceOf = () => '' } = measured;
  const text = new MetricText();
  const rows: Row[] = [{ labels: rowLabels({ id: '/' }), stats: node, disk: node.fs }];
  const ofPods: PodRow[] = [];
  const detailed: DetailedRow[] = [];
  const holding: HoldingRow[] = [];
  const detail = (labels: string, cgroup: string | undefined): void => {
    const known = cgroup === undefined ? undefined : details?.get(cgroup);
    if (known !== undefined) detailed.push({ labels, details: known });
  };
  detail(rowLabels({ id: '/' }), '/');
  for (const { cgroup, stats } of groups) {
    const labels = rowLabels({ id: cgroup });
    rows.push({ labels, stats });
    detail(labels, cgroup);
  }
  for (const pod of pods) {
    const { namespace, name, uid } = pod.stats.podRef;
    const id = pod.cgroup ?? `/kubepods/pod${uid}`;
    const row = { labels: rowLabels({ id, namespace, pod: name }), stats: pod.stats };
    rows.push(row);
    ofPods.push(row);
    for (const each of pod.containers) {
      const { image, stats } = each;
      const own = each.cgroup ?? `${id}/${each.id}`;
      const labels = rowLabels({ container: stats.name, id: own, image, name: each.id, namespace, pod: name });
      rows.push({ labels, stats });
      detail(labels, each.cgroup);
      const held = holds?.get(each.cgroup ?? '');
      if (held !== undefined) holding.push({ labels, held });
    }
  }
  let family = text.family('container_last_seen', 'gauge', 'Time of the measurement, in seconds since the epoch.');
  for (const { labels } of rows) family.add(labels, Math.floor(now / 1_000));
  let latest: string | undefined;
  for (const { name, type, help, also, value } of columns) {
    if (name !== latest) family = text.family(name, type, help);
    latest = name;
    for (const row of rows) family.add(also === undefined ? row.labels : `${row.labels},${also}`, value(row));
  }
  network(text, networkEnds(node, pods, details));
  processes(text, ofPods, detailed);
  writeDetails(text, detailed, deviceOf);
  writeHeld(text, holding);
  machineMetrics(text, machine);
  return text.toString();
}

/** Every label is present, empty where it does not apply: queries without it depend on this. */
const rowLabels = (labels: Readonly<Partial<Record<string, string>>>): string => {
  const { container = '', id = '', image = '', name = '', namespace = '', pod = '' } = labels;
  return labelText({ container, id, image, name, namespace, pod });
};

const networkColumns = [
  ['receive_bytes', 'Bytes received.', (each: InterfaceStats) => each.rxBytes],
  ['receive_errors', 'Errors met while receiving.', (each: InterfaceStats) => each.rxErrors],
  ['transmit_bytes', 'Bytes sent.', (each: InterfaceStats) => each.txBytes],
  ['transmit_errors', 'Errors met while sending.', (each: InterfaceStats) => each.txErrors],
] as const;

/** A network namespace of its own: the machine's, or a pod's. */
interface NetworkEnd {
  /** Returns the labels of an interface's samples. */
  readonly labelsOf: (interfaceName: string) => string;
  readonly interfaces: readonly InterfaceStats[];
  readonly packets: readonly InterfacePackets[];
}

/** A runtime counts bytes only; the kernel counts packets. A pod in the host network has none of its own. */
function networkEnds(
  node: NodeStats,
  pods: readonly MeasuredPod[],
  details: ReadonlyMap<string, CgroupDetails> | undefined,
): readonly NetworkEnd[] {
  const machine = labelsByInterface(rowLabels({ id: '/' }));
  const packets = details?.get('/')?.packets ?? [];
  const ends: NetworkEnd[] = [{ labelsOf: machine, interfaces: node.network?.interfaces ?? [], packets }];
  for (const { stats, cgroup, sandboxId, containers } of pods) {
    if (stats.network === undefined) continue;
    const { namespace, name, uid } = stats.podRef;
    const labels = rowLabels({ id: cgroup ?? `/kubepods/pod${uid}`, name: sandboxId, namespace, pod: name });
    const read = containers.map((each) => details?.get(each.cgroup ?? '')?.packets ?? []);
    ends.push({
      labelsOf: labelsByInterface(labels),
      interfaces: stats.network.interfaces ?? [],
      packets: read.find((each) => each.length > 0) ?? [],
    });
  }
  return ends;
}

/** Written once for all samples of an interface; a pod usually has one. */
function labelsByInterface(labels: string): (interfaceName: string) => string {
  let latest: { readonly name: string; readonly text: string } | undefined;
  return (name) => {
    if (latest?.name !== name) latest = { name, text: `${labels},${labelText({ interface: name })}` };
    return latest.text;
  };
}

function network(text: MetricText, ends: readonly NetworkEnd[]): void {
  for (const [name, help, value] of networkColumns) {
    const family = text.family(`container_network_${name}_total`, 'counter', help);
    for (const { labelsOf, interfaces } of ends) {
      for (const each of interfaces) family.add(labelsOf(each.name), value(each));
    }
  }
  for (const [name, help, value] of packetColumns) {
    const family = text.family(`container_network_${name}_total`, 'counter', help);
    for (const { labelsOf, packets } of ends) {
      for (const each of packets) family.add(labelsOf(each.name), value(each));
    }
  }
}

const packetColumns = [
  ['receive_packets', 'Packets received.', (each: InterfacePackets) => each.received],
  ['receive_packets_dropped', 'Packets dropped while receiving.', (each: InterfacePackets) => each.receivedDropped],
  ['transmit_packets', 'Packets sent.', (each: InterfacePackets) => each.sent],
  ['transmit_packets_dropped', 'Packets dropped while sending.', (each: InterfacePackets) => each.sentDropped],
] as const;

function processes(text: MetricText, pods: readonly PodRow[], detailed: readonly DetailedRow[]): void {
  const family = text.family('container_processes', 'gauge', 'Processes that run in the container.');
  for (const { labels, stats } of pods) family.add(labels, stats.process_stats?.process_count);
  for (const { labels, details } of detailed) family.add(labels, details.processes);
}

function machineMetrics(
  text: MetricText,
  { labels, kernelVersion, osVersion, logicalCores, memoryBytes, swapBytes, shape }: MachineFigures,
): void {
  const machine = labelText({
    boot_id: labels.boot_id,
    machine_id: labels.machine_id,
    system_uuid: labels.system_uuid,
  });
  text.family('machine_cpu_cores', 'gauge', 'Logical processors.').add(machine, logicalCores);
  text.family('machine_memory_bytes', 'gauge', 'Memory, in bytes.').add(machine, memoryBytes);
  text.family('machine_swap_bytes', 'gauge', 'Swap, in bytes.').add(machine, swapBytes);
  writeShape(text, machine, shape);
  const versions = { cadvisorRevision: '', cadvisorVersion: '', dockerVersion: '', kernelVersion, osVersion };
  text
    .family('cadvisor_version_info', 'gauge', 'Versions of the machine; cAdvisor itself is not part of this agent.')
    .add(labelText(versions), 1);
  text.family('container_scrape_error', 'gauge', '1 if the containers could not be read, 0 otherwise.').add('', 0);
  text.family('machine_scrape_error', 'gauge', '1 if the machine could not be read, 0 otherwise.').add('', 0);
}
