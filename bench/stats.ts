/**
 * What does it cost to measure all pods of a full node, and to write `/stats/summary`, `/metrics/resource` and
 * `/metrics/cadvisor`? The runtime's answers are real bytes, read as the collector reads them. The cgroups are this
 * machine's, which has none of these pods.
 */
import { parseArgs } from 'node:util';
import { criClient } from '../src/cri/client.ts';
import {
  ContainerStats,
  ImageFsInfoResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  ListPodSandboxStatsResponse,
  PodSandboxStats,
} from '../src/cri/gen/api.ts';
import type { CriMethodName } from '../src/cri/methods.ts';
import type { NodeFacts } from '../src/node/object/node-facts.ts';
import { cadvisorMetrics } from '../src/stats/cadvisor-metrics.ts';
import { hostReader } from '../src/host/host-reader.ts';
import { readMachineShape } from '../src/host/machine-shape.ts';
import { readCgroupDetails } from '../src/stats/cgroup-details.ts';
import { readProcessDetails } from '../src/stats/process-details.ts';
import { DetailReader, PACE_OF_CGROUPS, PACE_OF_PROCESSES } from '../src/stats/detail-reader.ts';
import { CpuRates } from '../src/stats/cpu-rates.ts';
import { cgroupSource, measureNode } from '../src/stats/measure-node.ts';
import { measurePods } from '../src/stats/measure-pods.ts';
import { resourceMetrics } from '../src/stats/resource-metrics.ts';
import { realHost } from '../src/stats/stats-host.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    rounds: { type: 'string', default: '20' },
    pods: { type: 'string', default: '1000' },
  },
});
const rounds = Number(values.rounds);
const pods = Number(values.pods);
const WARM_UP = 5;

const hex = (index: number): string => index.toString(16).padStart(64, '0');
const indices = Array.from({ length: pods }, (_, index) => index);
const labels = (index: number) => ({
  'io.kubernetes.pod.name': `web-${index}`,
  'io.kubernetes.pod.namespace': 'default',
  'io.kubernetes.pod.uid': `6c2a8e0e-3b0f-4c57-9d3d-${index.toString(16).padStart(12, '0')}`,
});
const own = { 'io.kubernetes.container.name': 'main' };
const cpu = { usageCoreNanoSeconds: { value: 123_456_789_000n }, usageNanoCores: { value: 1_000_000n } };
const memory = {
  workingSetBytes: { value: 12_345_678n },
  usageBytes: { value: 23_456_789n },
  rssBytes: { value: 3_456_789n },
  pageFaults: { value: 45_678n },
  majorPageFaults: { value: 12n },
};
const main = (index: number) =>
  ContainerStats.fromPartial({
    attributes: { id: hex(index), metadata: { name: 'main' }, labels: { ...labels(index), ...own } },
    cpu,
    memory,
    writableLayer: { fsId: { mountpoint: '/' }, usedBytes: { value: 4_096n }, inodesUsed: { value: 9n } },
  });
const figures = (index: number) =>
  PodSandboxStats.fromPartial({
    attributes: { id: hex(pods + index), labels: labels(index) },
    linux: {
      cpu,
      memory,
      network: { defaultInterface: { name: 'eth0', rxBytes: { value: 1n }, txBytes: { value: 2n } } },
      process: { processCount: { value: 3n } },
      containers: [main(index)],
    },
  });

const answers: Partial<Record<CriMethodName, Uint8Array>> = {
  ListPodSandbox: ListPodSandboxResponse.encode(
    ListPodSandboxResponse.fromPartial({
      items: indices.map((index) => ({ id: hex(pods + index), createdAt: 1n, labels: labels(index) })),
    }),
  ).finish(),
  ListContainers: ListContainersResponse.encode(
    ListContainersResponse.fromPartial({
      containers: indices.map((index) => ({
        id: hex(index),
        podSandboxId: hex(pods + index),
        metadata: { name: 'main' },
        image: { image: 'registry.example/web:1' },
        labels: { ...labels(index), ...own },
        annotations: { 'io.kubernetes.container.hash': '5fb3a1c2', 'io.kubernetes.container.restartCount': '0' },
      })),
    }),
  ).finish(),
  ListPodSandboxStats: ListPodSandboxStatsResponse.encode(
    ListPodSandboxStatsResponse.fromPartial({ stats: indices.map(figures) }),
  ).finish(),
  ImageFsInfo: ImageFsInfoResponse.encode(
    ImageFsInfoResponse.fromPartial({ imageFilesystems: [{ fsId: { mountpoint: '/' } }] }),
  ).finish(),
};
const cri = criClient((method) => Promise.resolve({ ok: true, value: answers[method] ?? new Uint8Array() }));
const node = {
  nodeName: 'bench',
  rootDir: '/',
  podLogsDir: '/var/log/pods',
  cgroupRoot: '/',
  cgroupDriver: 'cgroupfs',
  cgroupsPerQos: true,
  cgroupVersion: realHost.read('/sys/fs/cgroup/cgroup.controllers') === undefined ? 1 : 2,
  // The rest of the facts is of no concern to figures.
} as unknown as NodeFacts;
const machine = {
  labels: { machine_id: 'm', system_uuid: 's', boot_id: 'b' },
  kernelVersion: '6.1',
  osVersion: 'Linux',
  logicalCores: 2,
  memoryBytes: 1,
  swapBytes: 0,
  shape: readMachineShape(hostReader),
};

const rates = new CpuRates();
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const took: Record<'measure' | 'summary' | 'resource' | 'cadvisor' | 'cgroups', number[]> = {
  measure: [],
  summary: [],
  resource: [],
  cadvisor: [],
  cgroups: [],
};
/** Each container's cgroup is this machine's own. */
const source = cgroupSource({ host: realHost, node });
const ownProcess = (path: string): string | undefined =>
  path.endsWith('cgroup.procs') ? `${process.pid}\n` : realHost.read(path);
const later: (() => void)[] = [];
const reader = new DetailReader(() => readCgroupDetails(source, '/'), {
  after(_, fire) {
    later.push(fire);
    return () => later.splice(0);
  },
  pace: PACE_OF_CGROUPS,
});
/** Each container's processes are this one. */
const holding = new DetailReader(() => readProcessDetails({ ...source, read: ownProcess }, '/', realHost.descriptors), {
  after(_, fire) {
    later.push(fire);
    return () => {};
  },
  pace: PACE_OF_PROCESSES,
});
let bytes = 0;
for (let round = 0; round < rounds + WARM_UP; round += 1) {
  const measuring = { host: realHost, cri, node, rates, now: 1_700_000_000_000 + round * 10_000 };
  const marks = [cpuMs()];
  const [nodeStats, measured] = await Promise.all([measureNode(measuring), measurePods(measuring, 'pods')]);
  marks.push(cpuMs());
  const all = measured?.pods ?? [];
  bytes = JSON.stringify({ node: nodeStats, pods: all.map(({ stats }) => stats) }).length;
  marks.push(cpuMs());
  bytes += resourceMetrics(
    nodeStats,
    all.map(({ stats }) => stats),
  ).length;
  marks.push(cpuMs());
  const placed = all.map((pod) => ({
    ...pod,
    containers: pod.containers.map((each) => ({ ...each, cgroup: `/bench/${each.id}` })),
  }));
  const cgroups = placed.flatMap(({ containers }) => containers.map(({ cgroup }) => cgroup));
  const details = reader.detailsOf(cgroups);
  const held = holding.detailsOf(cgroups);
  bytes += cadvisorMetrics({ node: nodeStats, pods: placed, machine, now: measuring.now, details, held }).length;
  marks.push(cpuMs());
  for (let next = later.shift(); next !== undefined; next = later.shift()) next();
  marks.push(cpuMs());
  if (round < WARM_UP) continue;
  for (const [index, part] of (['measure', 'summary', 'resource', 'cadvisor', 'cgroups'] as const).entries()) {
    took[part].push((marks[index + 1] ?? 0) - (marks[index] ?? 0));
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const measureMs = median(took.measure);
const report = [
  { what: 'measure all pods', cpuMs: measureMs, targetMs: 150 },
  { what: 'and write /stats/summary', cpuMs: measureMs + median(took.summary), targetMs: 150 },
  { what: 'and write /metrics/resource', cpuMs: measureMs + median(took.resource), targetMs: 60 },
  { what: 'and write /metrics/cadvisor', cpuMs: measureMs + median(took.cadvisor), targetMs: 60 },
  { what: 'read cgroups until the next', cpuMs: median(took.cgroups), targetMs: 300 },
];
if (values.json === true) process.stdout.write(`${JSON.stringify({ bench: 'stats', pods, bytes, figures: report })}\n`);
else {
  const lines = report.map(
    ({ what, cpuMs: ms, targetMs }) =>
      `${what.padEnd(32)}${ms.toFixed(1).padStart(8)} ms CPU  ${ms <= targetMs ? 'meets' : 'misses'} ${targetMs} ms`,
  );
  process.stdout.write(`${pods} pods of one container, median of ${rounds}\n${lines.join('\n')}\n`);
}
