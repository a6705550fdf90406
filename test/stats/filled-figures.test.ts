import { describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import { cadvisorMetrics } from '../../src/stats/cadvisor-metrics.ts';
import { readCgroup } from '../../src/stats/cgroup-figures.ts';
import { readCgroupDetails } from '../../src/stats/cgroup-details.ts';
import { CpuRates } from '../../src/stats/cpu-rates.ts';
import { type ConfiguredCgroups, measureGroups, measureNode } from '../../src/stats/measure-node.ts';
import { measurePods } from '../../src/stats/measure-pods.ts';
import type { StatsHost } from '../../src/stats/stats-host.ts';
import { bareHost, bareMachine } from '../simulation/node/simulated-host.ts';
import { FakeCriClient } from '../support/fake-cri-client.ts';
import { containerInRuntime, containerStatsInRuntime, sandboxInRuntime } from '../support/pods-in-runtime.ts';

const NOW = 1_000_000;
const none = { total: 0, avg10: 0, avg60: 0, avg300: 0 };
const noPressure = { full: none, some: none };

const CGROUP_V1: Readonly<Record<string, string>> = {
  '/proc/stat': 'cpu  1 0 1 0 0 0 0 0\nbtime 1\n',
  '/proc/meminfo': 'MemTotal: 8 kB\nMemFree: 4 kB\n',
  '/proc/self/stat': '7 (a b) S 1 7 7 0 -1 0 40 99 2 88 3 4 0 0 20 0 1 0 500 0 0\n',
  '/proc/self/statm': '100 10 0 0 0 0 0\n',
  ...Object.fromEntries(
    ['/kubepods', '/kubepods/burstable', '/kubepods/besteffort', '/runtime', '/others'].flatMap((path) => [
      [`/sys/fs/cgroup/cpuacct${path}/cpuacct.usage`, '77\n'],
      [`/sys/fs/cgroup/memory${path}/memory.usage_in_bytes`, '1000\n'],
      [
        `/sys/fs/cgroup/memory${path}/memory.stat`,
        'pgfault 3\npgmajfault 1\ntotal_pgfault 300\ntotal_pgmajfault 100\n',
      ],
    ]),
  ),
};

const host: StatsHost = { ...bareHost, read: (path) => CGROUP_V1[path] };
// The facts that figures depend on.
const node = {
  nodeName: 'n1',
  rootDir: '/root',
  cgroupRoot: '/',
  cgroupDriver: 'cgroupfs',
  cgroupsPerQos: true,
  managesCgroups: true,
  cgroupVersion: 1,
} as unknown as NodeFacts;
const measuring = (configured: ConfiguredCgroups = {}) => ({
  host,
  cri: new FakeCriClient({
    ListPodSandbox: () => ({ ok: true, value: { items: [sandboxInRuntime(1)] } }),
    ListContainers: () => ({ ok: true, value: { containers: [containerInRuntime(1)] } }),
    ListPodSandboxStats: () => 'UNIMPLEMENTED',
    ListContainerStats: () => ({ ok: true, value: { stats: [containerStatsInRuntime(1, 5n)] } }),
    ImageFsInfo: () => ({ ok: true, value: { imageFilesystems: [], containerFilesystems: [] } }),
  }),
  node,
  rates: new CpuRates(),
  now: NOW,
  configured,
});

describe('a summary without pressure from the kernel (cgroups of version 1)', () => {
  it('shows zero pressure of the node and its system containers', async () => {
    const { cpu, memory, io, systemContainers = [] } = await measureNode(measuring());
    const zero = { cpu: { psi: noPressure }, memory: { psi: noPressure }, io: { psi: noPressure } };
    expect({ cpu, memory, io }).toMatchObject(zero);
    expect(systemContainers.map(({ name }) => name)).toEqual(['kubelet', 'pods']);
    for (const each of systemContainers) expect(each).toMatchObject(zero);
  });

  it('shows zero pressure of pods and containers', async () => {
    const measured = await measurePods(measuring(), 'pods');
    const zero = { cpu: { psi: noPressure }, memory: { psi: noPressure }, io: { psi: noPressure } };
    expect(measured?.pods[0]?.stats).toMatchObject(zero);
    expect(measured?.pods[0]?.stats.containers[0]).toMatchObject(zero);
  });
});

describe('system containers', () => {
  it('show the page faults of the agent, without those of its children', async () => {
    const { systemContainers = [] } = await measureNode(measuring());
    expect(systemContainers[0]?.memory).toMatchObject({ pageFaults: 42, majorPageFaults: 2 });
  });

  it("show a cgroup's own page faults, not those of the cgroups below it", () => {
    const source = { version: 1, mount: '/sys/fs/cgroup', read: (path: string) => host.read(path) } as const;
    expect(readCgroup(source, '/kubepods').memory).toMatchObject({ pageFaults: 3, majorPageFaults: 1 });
  });

  it.each<[ConfiguredCgroups, readonly string[]]>([
    [{}, ['kubelet', 'pods']],
    [{ runtime: '', misc: '' }, ['kubelet', 'pods']],
    [{ runtime: '/runtime' }, ['kubelet', 'runtime', 'pods']],
    [{ runtime: 'runtime', misc: '/others' }, ['kubelet', 'runtime', 'misc', 'pods']],
    [{ misc: '/not-there' }, ['kubelet', 'pods']],
  ])('are those that the configuration names and the kernel has: %j', async (configured, names) => {
    const { systemContainers = [] } = await measureNode(measuring(configured));
    expect(systemContainers.map(({ name }) => name)).toEqual(names);
  });
});

describe('/metrics/cadvisor', () => {
  const text = async (): Promise<string> => {
    const measured = await measureNode(measuring());
    const pods = (await measurePods(measuring(), 'pods'))?.pods ?? [];
    const groups = measureGroups(measuring(), measured.startTime);
    return cadvisorMetrics({ node: measured, pods, groups, machine: bareMachine, now: NOW });
  };

  it.each(['/kubepods', '/kubepods/burstable', '/kubepods/besteffort'])('has a row of %s', async (id) => {
    expect(await text()).toMatch(
      new RegExp(`^container_memory_usage_bytes\\{container="",id="${id}",.*\\} 1000$`, 'm'),
    );
  });

  it('has no rows of cgroups that this agent does not manage', () => {
    expect(measureGroups({ host, node: { ...node, managesCgroups: false }, now: NOW }, '')).toEqual([]);
  });

  it('shows the inodes of the file system for the node alone', async () => {
    const rows = (await text()).split('\n').filter((line) => line.startsWith('container_fs_inodes_'));
    expect(rows.filter((line) => !line.includes('id="/",'))).toEqual([]);
    expect(rows).toHaveLength(2);
  });

  it('shows swap of each container, zero where none is known', async () => {
    expect(await text()).toMatch(/^container_memory_swap\{container="main",.*\} 0$/m);
  });

  it.each([
    [
      'cadvisor_version_info',
      /^cadvisor_version_info\{cadvisorRevision="",.*kernelVersion="6\.1",osVersion="Linux"\} 1$/m,
    ],
    ['container_scrape_error', /^container_scrape_error 0$/m],
  ])('has %s', async (_, line) => {
    expect(await text()).toMatch(line);
  });

  it.each([1, 2] as const)('shows 0 for threads without a limit (cgroup version %d)', (version) => {
    const source = { version, mount: '/m', read: (path: string) => (path.endsWith('pids.max') ? 'max\n' : undefined) };
    expect(readCgroupDetails(source, '/c').threadsMax).toBe(0);
  });

  it("shows what the kernel counts of the machine's disks, and zero of a container's", () => {
    const files: Readonly<Record<string, string>> = {
      '/proc/diskstats':
        '   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n   8       0 sda 10 1 16 2000 20 2 32 4000 3 5000 6000\n   8       1 sda1 9 0 8 1 1 0 8 1 0 1 1\n',
      '/m/c/io.stat': '8:0 rbytes=1024 wbytes=512 rios=1 wios=1 dbytes=0 dios=0\n',
    };
    const source = { version: 2, mount: '/m', read: (path: string) => files[path] } as const;
    const details = new Map(['/', '/c'].map((path) => [path, readCgroupDetails(source, path)] as const));
    expect(details.get('/')?.disks).toEqual([
      {
        major: '8',
        minor: '0',
        readBytes: 8_192,
        writtenBytes: 16_384,
        reads: 10,
        writes: 20,
        times: {
          mergedReads: 1,
          mergedWrites: 2,
          readSeconds: 2,
          writeSeconds: 4,
          current: 3,
          busySeconds: 5,
          weightedSeconds: 6,
        },
      },
    ]);
    const group = { cgroup: '/c', stats: { startTime: new Date(NOW).toISOString() } };
    const shown = cadvisorMetrics({
      node: { nodeName: 'n', startTime: new Date(NOW).toISOString() },
      pods: [],
      groups: [group],
      machine: bareMachine,
      now: NOW,
      details,
      deviceOf: () => '/dev/sda',
    });
    const of = (name: string): readonly (string | undefined)[] =>
      ['/', '/c'].map(
        (id) => new RegExp(`^container_fs_${name}\\{container="",id="${id}",.*\\} (\\S+)$`, 'm').exec(shown)?.[1],
      );
    expect({
      current: of('io_current'),
      busy: of('io_time_seconds_total'),
      weighted: of('io_time_weighted_seconds_total'),
      read: of('read_seconds_total'),
      write: of('write_seconds_total'),
      readsMerged: of('reads_merged_total'),
      writesMerged: of('writes_merged_total'),
      sectorReads: of('sector_reads_total'),
      sectorWrites: of('sector_writes_total'),
    }).toEqual({
      current: ['3', '0'],
      busy: ['5', '0'],
      weighted: ['6', '0'],
      read: ['2', '0'],
      write: ['4', '0'],
      readsMerged: ['1', '0'],
      writesMerged: ['2', '0'],
      sectorReads: ['16', '2'],
      sectorWrites: ['32', '1'],
    });
  });
});
