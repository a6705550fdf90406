import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certificateMetrics } from '../../actors/certificate-manager/metrics.ts';
import { csiMetrics } from '../../actors/csi-manager/metrics.ts';
import { evictionMetrics } from '../../actors/eviction-manager/metrics.ts';
import { garbageMetrics } from '../../actors/garbage-collector/metrics.ts';
import { shutdownMetrics } from '../../actors/node-shutdown/metrics.ts';
import { imageManagerMetrics } from '../../actors/image-manager/metrics.ts';
import { startupMetrics } from '../../actors/node-status/metrics.ts';
import { plegMetrics } from '../../actors/pleg/metrics.ts';
import { podManagerMetrics } from '../../actors/pod-manager/metrics.ts';
import { podWorkerMetrics } from '../../actors/pod-worker/metrics.ts';
import { statsMetrics } from '../../actors/stats-collector/metrics.ts';
import { volumeMetrics } from '../../actors/volume-manager/metrics.ts';
import { noCgroups } from '../../src/cgroups/cgroups.ts';
import { timedCgroups } from '../../src/cgroups/timed-cgroups.ts';
import { statusMetrics } from '../../actors/status-manager/metrics.ts';
import { nodeInfoMetrics } from '../../src/node/object/node-info-metrics.ts';
import { serverMetrics } from '../../src/serving/server-metrics.ts';
import { probeMetrics } from '../../actors/probe-manager/metrics.ts';
import { MetricFamilies, type DescribedFamily } from '../../src/metrics/metric-families.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { processMetricsText } from '../../src/host/process/process-figures.ts';
import { requestMetrics } from '../../src/api/transport/request-metrics.ts';
import { operationMetrics } from '../../src/cri/operation-metrics.ts';
import { HealthSlis } from '../../src/serving/health-slis.ts';
import { readCgroupDetails } from '../../src/stats/cgroup-details.ts';
import { cadvisorMetrics } from '../../src/stats/cadvisor-metrics.ts';
import type { MeasuredPod } from '../../src/stats/measure-pods.ts';
import { resourceMetrics } from '../../src/stats/resource-metrics.ts';
import type { NodeStats, PodStats } from '../../src/stats/summary.ts';
import { bareMachine } from '../simulation/node/simulated-host.ts';
import { cgroupFileSample } from '../stats/cgroup-file-samples.ts';
import { checkMetricText } from '../stats/check-metric-text.ts';
import { absentMetrics } from './absent-metrics.ts';

/** The kubelet's own names, by endpoint. */
const kubelets = JSON.parse(readFileSync(new URL('../golden/metrics/names.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;

const time = '2026-01-01T00:00:00.000Z';
const stalled = { total: 1, avg10: 0, avg60: 0, avg300: 0 };
const psi = { full: stalled, some: stalled };
const figures = {
  startTime: time,
  cpu: { time, usageCoreNanoSeconds: 1, psi },
  memory: { time, usageBytes: 1, workingSetBytes: 1, rssBytes: 1, pageFaults: 1, majorPageFaults: 1, psi },
  io: { time, psi },
  swap: { time, swapAvailableBytes: 1, swapUsageBytes: 1 },
};
const fs = { time, usedBytes: 1, capacityBytes: 2, inodes: 2, inodesFree: 1 };
const network = { time, interfaces: [{ name: 'eth0', rxBytes: 1, rxErrors: 1, txBytes: 1, txErrors: 1 }] };
const node: NodeStats = { nodeName: 'n1', ...figures, network, fs };
const stats: PodStats = {
  podRef: { name: 'web', namespace: 'a', uid: 'u' },
  containers: [{ name: 'main', ...figures, rootfs: fs }],
  network,
  process_stats: { process_count: 1 },
  ...figures,
};
const pod: MeasuredPod = {
  stats,
  sandboxId: 's',
  cgroup: undefined,
  containers: stats.containers.map((each) => ({ stats: each, id: 'c', image: 'i', cgroup: '/c' })),
};

/** The metrics of the actors of all threads. */
function registered(): readonly DescribedFamily[] {
  const families = new MetricFamilies();
  operationMetrics(families);
  plegMetrics(families);
  probeMetrics(families);
  evictionMetrics(families);
  requestMetrics(families, 'host');
  podWorkerMetrics(families);
  imageManagerMetrics(families, []);
  startupMetrics(families, { bootedAt: 0, startedAt: 0 });
  podManagerMetrics(families);
  statusMetrics(families);
  statsMetrics(families);
  volumeMetrics(families);
  csiMetrics(families);
  shutdownMetrics(families);
  timedCgroups(noCgroups, { families, seconds: () => 0 });
  serverMetrics(families);
  nodeInfoMetrics(families, { nodeName: 'n1', cgroupVersion: 2 });
  for (const of of ['client', 'server'] as const) certificateMetrics(families, of);
  garbageMetrics(families);
  return families.described();
}

const machine = {
  ...bareMachine,
  shape: {
    ...bareMachine.shape,
    nodes: [{ id: 0, memoryBytes: 1, hugePages: [{ kibibytes: 2048, count: 0 }], distances: [10] }],
    threads: [{ thread: 0, core: '0', node: 0, siblings: 1 }],
  },
};

/** The metrics of each kind of machine. */
const kernel = { mount: '', version: 2, read: cgroupFileSample } as const;
const details = new Map([['/', readCgroupDetails(kernel, '/')]]);
const held = new Map([['/c', { fileDescriptors: 2, sockets: 1, mayOpen: 3 }]]);

async function slis(): Promise<string> {
  const health = new HealthSlis();
  await health.sample(new Map([['ping', () => Promise.resolve(undefined)]]));
  return health.text();
}

const namesIn = (text: string): readonly string[] => [...checkMetricText(text).keys()];
const counted = registered();
const ofProcess = namesIn(processMetricsText({ host: hostReader, residentBytes: 1, startedAtMs: 1 }));
const countedNames = [...counted.map(({ name }) => name), ...ofProcess];
const shown: Readonly<Record<string, readonly string[]>> = {
  '/metrics': countedNames,
  '/metrics/probes': countedNames,
  '/metrics/resource': namesIn(resourceMetrics(node, [stats])),
  '/metrics/cadvisor': namesIn(cadvisorMetrics({ node, pods: [pod], machine, now: 0, details, held })),
  '/metrics/slis': namesIn(await slis()),
};

describe.each(Object.entries(kubelets))("the kubelet's metrics of %s", (endpoint, names) => {
  const patterns = Object.keys(absentMetrics[endpoint] ?? {}).map((text) => new RegExp(`^(?:${text})$`));
  const isAbsent = (name: string): boolean => patterns.some((pattern) => pattern.test(name));

  it('are exported, or have a reason why not', () => {
    expect(names.filter((name) => !shown[endpoint]?.includes(name) && !isAbsent(name))).toEqual([]);
  });

  it('are not explained as absent when they are exported', () => {
    expect(names.filter((name) => shown[endpoint]?.includes(name) && isAbsent(name))).toEqual([]);
  });

  it('are the only metrics with a reason', () => {
    expect(patterns.filter((pattern) => !names.some((name) => pattern.test(name)))).toEqual([]);
  });
});

/** Types, labels and buckets of the kubelet's metrics. */
const described = JSON.parse(
  readFileSync(new URL('../golden/metrics/families.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Pick<DescribedFamily, 'type' | 'labels' | 'buckets'>>>;

const rounded = (bucket: number): string => bucket.toPrecision(6);

describe('a metric with a name of the kubelet', () => {
  const own = counted.filter(({ name }) => name in described);
  it.each(own)("$name has the kubelet's description", (family) => {
    const { type, labels = [], buckets } = family;
    const theirs = described[family.name];
    expect({ type, labels: [...labels].sort() }).toEqual({
      type: theirs?.type,
      labels: [...(theirs?.labels ?? [])].sort(),
    });
    expect(buckets?.map(rounded)).toEqual(theirs?.buckets?.map(rounded));
  });
});
