import { describe, expect, it } from 'vitest';
import { StatsCollector, type StatsCollectorDeps } from '../../../actors/stats-collector/actor.ts';
import { statsMetrics } from '../../../actors/stats-collector/metrics.ts';
import type { StatsCollectorProtocol, StatsCollectorQuestion } from '../../../actors/stats-collector/protocol.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import type { NodeStats, PodStats, Summary } from '../../../src/stats/summary.ts';
import type { PodDisk } from '../../../src/stats/pod-disk.ts';
import { bareHost, bareMachine } from '../../simulation/node/simulated-host.ts';
import { checkMetricText } from '../../stats/check-metric-text.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { criFault, FakeCriClient } from '../../support/fake-cri-client.ts';
import {
  containerInRuntime,
  containerIdOf,
  containerStatsInRuntime,
  sandboxInRuntime,
  sandboxStatsInRuntime,
  uidOf,
} from '../../support/pods-in-runtime.ts';

const node = {
  nodeName: 'n1',
  rootDir: '/root',
  podLogsDir: '/logs',
  cgroupRoot: '/',
  cgroupDriver: 'cgroupfs',
  cgroupsPerQos: true,
  cgroupVersion: 2,
} as unknown as NodeFacts;

const disk = (uid: string): PodDisk => ({
  uid,
  volumes: [{ name: 'cache', local: true, fileSystem: undefined, usedBytes: 1_000, inodesUsed: 2 }],
  logs: { main: { usedBytes: 300, inodesUsed: 2 } },
  otherLogs: { usedBytes: 0, inodesUsed: 0 },
  ownFiles: { usedBytes: 10, inodesUsed: 1 },
});

async function collectorOf(options: Partial<StatsCollectorDeps> = {}) {
  let cpu = 0n;
  const cri = new FakeCriClient({
    ListPodSandbox: () => ({ ok: true, value: { items: [sandboxInRuntime(1), sandboxInRuntime(2)] } }),
    ListContainers: () => ({ ok: true, value: { containers: [containerInRuntime(1)] } }),
    ListPodSandboxStats: () => ({
      ok: true,
      value: { stats: [sandboxStatsInRuntime(1, cpu), sandboxStatsInRuntime(2, cpu)] },
    }),
    ListContainerStats: () => ({ ok: true, value: { stats: [containerStatsInRuntime(1, cpu)] } }),
    ImageFsInfo: () => ({
      ok: true,
      value: {
        imageFilesystems: [{ fsId: { mountpoint: '/images' }, usedBytes: { value: 5n }, inodesUsed: { value: 2n } }],
        containerFilesystems: [],
      },
    }),
  });
  const walked: string[][] = [];
  const under = await actorUnderTest<StatsCollectorProtocol>({
    address: 'stats-collector',
    others: {},
    startMs: 1_000_000,
    make: (context) =>
      new StatsCollector(context, {
        host: bareHost,
        cri,
        node,
        machine: bareMachine,
        walk(pods) {
          walked.push(pods.map(({ uid }) => uid));
          return Promise.resolve(pods.map(({ uid }) => disk(uid)));
        },
        walkEveryMs: 60_000,
        ...options,
      }),
  });
  const ask = async <T>(question: StatsCollectorQuestion): Promise<T> => {
    const answer = under.ask(question);
    await under.quiet();
    // The answer's type is the question's.
    return (await answer) as T;
  };
  const summary = (maxAgeMs = 0) => ask<Summary>({ type: 'summary', maxAgeMs, extent: 'everything' });
  return { ...under, cri, walked, ask, summary, use: (nanoseconds: bigint) => void (cpu += nanoseconds) };
}

describe('the stats collector', () => {
  it("reports the runtime's figures of pods in the format of the Summary API", async () => {
    const { summary, use } = await collectorOf();
    use(3_000n);
    const { node: nodeStats, pods } = await summary();
    expect(nodeStats).toMatchObject({
      nodeName: 'n1',
      fs: { capacityBytes: 100_000 },
      runtime: { imageFs: { usedBytes: 5 } },
    });
    expect(pods).toHaveLength(2);
    expect(pods[0]).toMatchObject({
      podRef: { name: 'web-1', namespace: 'default', uid: uidOf(1) },
      startTime: '2023-11-14T22:13:20.000Z',
      cpu: { usageCoreNanoSeconds: 3_005 },
      memory: { workingSetBytes: 9_000_000 },
      network: { name: 'eth0', rxBytes: 11, interfaces: [{ name: 'eth0' }] },
      process_stats: { process_count: 2 },
      containers: [
        {
          name: 'main',
          startTime: '2023-11-14T22:13:21.000Z',
          cpu: { usageCoreNanoSeconds: 3_000 },
          memory: { usageBytes: 8_000_001, workingSetBytes: 8_000_000, rssBytes: 7_999_999, pageFaults: 7 },
          rootfs: { usedBytes: 4_096, inodesUsed: 3, capacityBytes: 100_000, availableBytes: 40_000 },
        },
      ],
    });
  });

  it('leaves out containers that do not run', async () => {
    const { pods } = await (await collectorOf()).summary();
    expect(pods[1]?.containers).toEqual([]);
  });

  it('computes the CPU rate from the second measurement on', async () => {
    const { summary, use, clock } = await collectorOf();
    const cores = ({ pods }: Summary) => [pods[0]?.cpu?.usageNanoCores, pods[0]?.containers[0]?.cpu?.usageNanoCores];
    expect(cores(await summary())).toEqual([undefined, undefined]);
    use(500_000_000n);
    await clock.advanceAndSettle(2_000);
    expect(cores(await summary())).toEqual([250_000_000, 250_000_000]);
  });

  it('measures once for concurrent questions, and not again while its figures are fresh enough', async () => {
    const { ask, cri, clock } = await collectorOf();
    const question = { type: 'resource-metrics', maxAgeMs: 1_000 } as const;
    await Promise.all([ask(question), ask(question), ask({ type: 'pod-stats', maxAgeMs: 1_000, of: 'all' })]);
    await ask(question);
    expect(cri.requests('ListContainers')).toHaveLength(1);
    await clock.advanceAndSettle(1_000);
    await ask(question);
    expect(cri.requests('ListContainers')).toHaveLength(2);
  });

  it('adds disk usage once the files were walked, and no question waits for that', async () => {
    const { summary, walked } = await collectorOf();
    expect((await summary()).pods[0]).not.toHaveProperty('ephemeral-storage');
    const [pod] = (await summary()).pods;
    expect(walked).toEqual([[uidOf(1), uidOf(2)]]);
    expect(pod).toMatchObject({
      volume: [{ name: 'cache', usedBytes: 1_000, inodesUsed: 2 }],
      'ephemeral-storage': { usedBytes: 4_096 + 1_000 + 300 + 10, capacityBytes: 100_000 },
      containers: [{ logs: { usedBytes: 300, inodesUsed: 2, capacityBytes: 100_000 } }],
    });
  });

  it('reports the size of container logs that were walked', async () => {
    const families = new MetricFamilies();
    const { summary } = await collectorOf({ metrics: statsMetrics(families) });
    const lines = (): readonly string[] =>
      families
        .text()
        .split('\n')
        .filter((line) => line.startsWith('kubelet_'));
    expect(lines()).toEqual([]);
    await summary();
    expect(lines()).toEqual(
      [1, 2].map(
        (n) =>
          `kubelet_container_log_filesystem_used_bytes{uid="${uidOf(n)}",namespace="default",pod="web-${n}",container="main"} 300`,
      ),
    );
  });

  it('reports an abnormal volume once while it stays abnormal', async () => {
    const told: string[] = [];
    let isAbnormal = true;
    const { summary, pass } = await collectorOf({
      abnormal: (pod, { name, condition }) => void told.push(`${pod.name} ${name}: ${condition}`),
      walk: (pods) =>
        Promise.resolve(
          pods.map(({ uid }) => {
            const driverVolumes = [{ name: 'disk', figures: {}, isAbnormal, condition: 'broken' }];
            return { ...disk(uid), driverVolumes: uid === uidOf(1) ? driverVolumes : [] };
          }),
        ),
    });
    const lookAgain = async (): Promise<void> => {
      await summary();
      await pass(130_000);
    };
    await lookAgain();
    await lookAgain();
    expect(told).toEqual(['web-1 disk: broken']);
    isAbnormal = false;
    await lookAgain();
    isAbnormal = true;
    await lookAgain();
    expect(told).toEqual(['web-1 disk: broken', 'web-1 disk: broken']);
  });

  it("reports drivers' figures of claims once each, in the summary and as metrics", async () => {
    const families = new MetricFamilies();
    const claim = { name: 'data', namespace: 'default' };
    const figures = { availableBytes: 60, capacityBytes: 100, usedBytes: 40, inodes: 9, inodesFree: 7, inodesUsed: 2 };
    const driverVolumes = [
      { name: 'disk', claim, figures, isAbnormal: true },
      { name: 'scratch', figures: { capacityBytes: 5 } },
    ];
    const { summary, quiet } = await collectorOf({
      metrics: statsMetrics(families),
      walk: (pods) => Promise.resolve(pods.map(({ uid }) => ({ ...disk(uid), driverVolumes }))),
    });
    const lines = (): readonly string[] =>
      families
        .text()
        .match(/^kubelet_volume_stats_.*$/gm)
        ?.map((line) => line.replace('kubelet_volume_stats_', '')) ?? [];
    expect(lines()).toEqual([]);
    // The periodic check is enough, without a question for the summary.
    await quiet();
    const labels = '{namespace="default",persistentvolumeclaim="data"}';
    expect(lines()).toEqual([
      `capacity_bytes${labels} 100`,
      `available_bytes${labels} 60`,
      `used_bytes${labels} 40`,
      `inodes${labels} 9`,
      `inodes_free${labels} 7`,
      `inodes_used${labels} 2`,
      `health_status_abnormal${labels} 1`,
    ]);
    const [, disk1, scratch] = (await summary()).pods[0]?.volume ?? [];
    expect(disk1).toMatchObject({ name: 'disk', pvcRef: claim, ...figures, volumeHealthStats: { abnormal: true } });
    expect(scratch).toEqual({ time: expect.any(String) as string, name: 'scratch', capacityBytes: 5 });
  });

  it('has files walked again after a minute or two, never for each question', async () => {
    const { summary, walked, clock } = await collectorOf();
    for (let asked = 0; asked < 5; asked += 1) await summary();
    expect(walked).toHaveLength(1);
    await clock.advanceAndSettle(120_000);
    await summary();
    expect(walked).toHaveLength(2);
  });

  it('continues after a lost walk, and repeats it', async () => {
    let lost = 0;
    const walk = () => Promise.resolve(void lost++);
    const { summary } = await collectorOf({ walk });
    await summary();
    const { pods } = await summary();
    expect([lost, pods.length]).toEqual([2, 2]);
  });

  it('waits for a walk where disk usage is requested, unless the last walk is fresh enough', async () => {
    const { ask, walked, clock } = await collectorOf();
    const question = { type: 'pod-stats', maxAgeMs: 0, of: [podUid(uidOf(1))], walkedWithinMs: 10_000 } as const;
    const [first] = await ask<readonly PodStats[]>(question);
    expect(first?.volume?.[0]).toMatchObject({ name: 'cache', usedBytes: 1_000 });
    await clock.advanceAndSettle(10_000);
    await ask(question);
    expect(walked).toHaveLength(1);
    await clock.advanceAndSettle(1);
    await ask(question);
    expect(walked[1]).toEqual([uidOf(1)]);
  });

  it.each([
    ['is lost', () => Promise.resolve(undefined), 0],
    ['takes too long', () => new Promise<never>(() => {}), 8_000],
  ])('answers with the known figures when an awaited walk %s', async (_, walk, afterMs) => {
    const { ask, quiet, clock } = await collectorOf({ walk });
    let answeredAt: number | undefined;
    const begun = clock.monotonic();
    const asked = ask<readonly PodStats[]>({ type: 'pod-stats', maxAgeMs: 0, of: 'all', walkedWithinMs: 0 });
    const waited = asked.then((found) => {
      answeredAt = clock.monotonic();
      return found;
    });
    await quiet();
    for (let second = 0; second < 10; second += 1) await clock.advanceAndSettle(1_000);
    const found = await waited;
    expect(found.map(({ podRef }) => podRef.uid)).toEqual([uidOf(1), uidOf(2)]);
    expect((answeredAt ?? 0) - begun).toBe(afterMs);
  });

  it('walks nothing where volume stats are switched off', async () => {
    const { summary, walked } = await collectorOf({ walkEveryMs: -1 });
    await summary();
    expect(walked).toEqual([]);
  });

  it('falls back to container stats for good when the runtime has no pod stats', async () => {
    const { summary, cri, use } = await collectorOf();
    cri.script.ListPodSandboxStats = () => 'UNIMPLEMENTED';
    use(70n);
    const [pod] = (await summary()).pods;
    // The sum of all containers.
    expect(pod).toMatchObject({ cpu: { usageCoreNanoSeconds: 70 }, memory: { workingSetBytes: 8_000_000 } });
    await summary();
    expect([cri.requests('ListPodSandboxStats'), cri.requests('ListContainerStats')].map((all) => all.length)).toEqual([
      1, 2,
    ]);
  });

  it('falls back to container stats when pod stats fail, and requests pod stats again the next time', async () => {
    const { summary, cri } = await collectorOf();
    cri.script.ListPodSandboxStats = () => 'UNKNOWN';
    expect((await summary()).pods[0]?.containers).toHaveLength(1);
    await summary();
    expect(cri.requests('ListPodSandboxStats')).toHaveLength(2);
  });

  it('takes figures from the kernel that the runtime leaves out', async () => {
    const pod = `/sys/fs/cgroup/kubepods/burstable/pod${uidOf(1)}`;
    const files: Readonly<Record<string, string>> = {
      [`${pod}/memory.current`]: '500\n',
      [`${pod}/cpu.stat`]: 'usage_usec 9\n',
      [`${pod}/${containerIdOf(1)}/memory.current`]: '400\n',
      [`${pod}/${containerIdOf(1)}/memory.stat`]: 'anon 100\ninactive_file 50\n',
      [`${pod}/${containerIdOf(1)}/cpu.stat`]: 'usage_usec 8\n',
    };
    const lists: Readonly<Record<string, readonly string[]>> = {
      '/sys/fs/cgroup/kubepods/burstable': [`pod${uidOf(1)}`],
      [pod]: [containerIdOf(1), 'cgroup.procs'],
    };
    const host = { ...bareHost, read: (path: string) => files[path], list: (path: string) => lists[path] ?? [] };
    const { summary, cri } = await collectorOf({ host });
    cri.script.ListPodSandboxStats = () => 'UNIMPLEMENTED';
    cri.script.ListContainerStats = () => ({ ok: true, value: { stats: [] } });
    const [first] = (await summary()).pods;
    expect(first).toMatchObject({
      cpu: { usageCoreNanoSeconds: 9_000 },
      memory: { usageBytes: 500 },
      containers: [{ cpu: { usageCoreNanoSeconds: 8_000 }, memory: { workingSetBytes: 350, rssBytes: 100 } }],
    });
  });

  it("reports the node's figures, and no pod figures, while the runtime does not answer", async () => {
    const { summary, ask, cri } = await collectorOf();
    const down = () => criFault('UNAVAILABLE');
    const all = ['ListContainers', 'ListPodSandbox', 'ListPodSandboxStats', 'ListContainerStats', 'ImageFsInfo'];
    cri.script = Object.fromEntries(all.map((method) => [method, down]));
    expect(await summary()).toBeUndefined();
    expect(await ask<NodeStats>({ type: 'node-stats', maxAgeMs: 0 })).toMatchObject({ nodeName: 'n1', runtime: {} });
    const text = await ask<string>({ type: 'resource-metrics', maxAgeMs: 0 });
    expect(checkMetricText(text).get('resource_scrape_error')?.samples[0]?.value).toBe(1);
  });

  it('reports only CPU and memory if no more is requested', async () => {
    const { ask } = await collectorOf();
    const text = await ask<string>({ type: 'summary-text', maxAgeMs: 0, extent: 'cpu-and-memory' });
    const { node: nodeStats, pods } = JSON.parse(text) as Summary;
    expect(Object.keys(nodeStats)).not.toContain('fs');
    expect(Object.keys(pods[0] ?? {})).toEqual(['podRef', 'startTime', 'containers', 'cpu', 'memory']);
  });

  it('answers for the named pods', async () => {
    const { ask } = await collectorOf();
    const pods = await ask<readonly PodStats[]>({ type: 'pod-stats', maxAgeMs: 0, of: [podUid(uidOf(2))] });
    expect(pods.map(({ podRef }) => podRef.name)).toEqual(['web-2']);
  });

  it('writes resource metrics that a strict parser accepts, with the time of the measurement', async () => {
    const { ask, use } = await collectorOf();
    use(2_000_000_000n);
    const families = checkMetricText(await ask<string>({ type: 'resource-metrics', maxAgeMs: 0 }));
    expect(families.get('container_cpu_usage_seconds_total')).toEqual({
      type: 'counter',
      samples: [
        {
          name: 'container_cpu_usage_seconds_total',
          labels: { container: 'main', namespace: 'default', pod: 'web-1' },
          value: 2,
          atMs: 1_000_000,
        },
      ],
    });
    expect([...families.keys()]).toEqual(
      expect.arrayContaining(['pod_memory_working_set_bytes', 'container_start_time_seconds', 'scrape_error']),
    );
  });

  it("writes cAdvisor's metrics that a strict parser accepts, with the labels that dashboards use", async () => {
    const { ask } = await collectorOf();
    const families = checkMetricText(await ask<string>({ type: 'cadvisor-metrics', maxAgeMs: 0 }));
    const samples = families.get('container_memory_working_set_bytes')?.samples ?? [];
    expect(samples.find(({ labels }) => labels['container'] === 'main')?.labels).toEqual({
      container: 'main',
      id: `/kubepods/pod${uidOf(1)}/${containerIdOf(1)}`,
      image: 'registry.example/web:1',
      name: containerIdOf(1),
      namespace: 'default',
      pod: 'web-1',
    });
    expect(families.get('container_network_receive_bytes_total')?.samples[0]).toMatchObject({
      labels: { interface: 'eth0', pod: 'web-1', container: '' },
      value: 11,
    });
    expect(families.get('machine_cpu_cores')?.samples[0]?.value).toBe(2);
  });

  it('reports pressure stalls where the kernel counts them', async () => {
    const line = (kind: string, microseconds: number) =>
      `${kind} avg10=0.00 avg60=0.00 avg300=0.00 total=${microseconds}`;
    const stalled = `${line('some', 3_500_000)}\n${line('full', 250_000)}\n`;
    const read = (path: string) => (path.startsWith('/proc/pressure/') ? stalled : bareHost.read(path));
    const { ask } = await collectorOf({ host: { ...bareHost, read } });
    const families = checkMetricText(await ask<string>({ type: 'cadvisor-metrics', maxAgeMs: 0 }));
    for (const resource of ['cpu', 'memory', 'io']) {
      const values = ['waiting', 'stalled'].map((word) => {
        const samples = families.get(`container_pressure_${resource}_${word}_seconds_total`)?.samples;
        return samples?.find(({ labels }) => labels['id'] === '/')?.value;
      });
      expect(values).toEqual([3.5, 0.25]);
    }
  });
});
