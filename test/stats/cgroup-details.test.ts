import { describe, expect, it } from 'vitest';
import { blockDevices, writeDetails } from '../../src/stats/cadvisor-details.ts';
import { readCgroupDetails } from '../../src/stats/cgroup-details.ts';
import { DetailReader } from '../../src/stats/detail-reader.ts';
import { MetricText } from '../../src/stats/metric-text.ts';
import { checkMetricText } from './check-metric-text.ts';

/** A cgroup as each version of the kernel shows it, of the same container. */
const files = {
  2: {
    'cpu.stat':
      'usage_usec 9\nuser_usec 2000000\nsystem_usec 1000000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 500000\nnr_bursts 1\nburst_usec 250000\n',
    'cpu.max': '50000 100000\n',
    'cpu.weight': '39\n',
    'memory.stat': 'anon 1\nfile 4096\nkernel 512\nfile_mapped 1024\ninactive_file 96\nactive_file 4000\n',
    'memory.peak': '9000\n',
    'memory.events': 'low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\n',
    'memory.max': '1048576\n',
    'memory.min': '0\n',
    'memory.swap.max': 'max\n',
    'cgroup.procs': '10\n11\n',
    'pids.current': '5\n',
    'pids.max': '100\n',
    'io.stat': '8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n',
  },
  1: {
    'cpuacct/c/cpuacct.stat': 'user 200\nsystem 100\n',
    'cpu/c/cpu.stat': 'nr_periods 10\nnr_throttled 4\nthrottled_time 500000000\nnr_bursts 1\nburst_time 250000000\n',
    'cpu/c/cpu.shares': '998\n',
    'cpu/c/cpu.cfs_period_us': '100000\n',
    'cpu/c/cpu.cfs_quota_us': '50000\n',
    'memory/c/memory.stat':
      'cache 1\ntotal_cache 4096\ntotal_mapped_file 1024\ntotal_inactive_file 96\ntotal_active_file 4000\n',
    'memory/c/memory.kmem.usage_in_bytes': '512\n',
    'memory/c/memory.max_usage_in_bytes': '9000\n',
    'memory/c/memory.failcnt': '7\n',
    'memory/c/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
    'memory/c/memory.limit_in_bytes': '1048576\n',
    'memory/c/memory.soft_limit_in_bytes': '0\n',
    'memory/c/memory.memsw.limit_in_bytes': '9223372036854771712\n',
    'memory/c/cgroup.procs': '10\n11\n',
    'pids/c/pids.current': '5\n',
    'pids/c/pids.max': '100\n',
    'blkio/c/blkio.throttle.io_service_bytes_recursive':
      '8:0 Read 4096\n8:0 Write 8192\n8:0 Total 12288\nTotal 12288\n',
    'blkio/c/blkio.throttle.io_serviced_recursive': '8:0 Read 1\n8:0 Write 2\nTotal 3\n',
  },
} as const;

const detailsOf = (version: 1 | 2, shown: Readonly<Record<string, string>> = files[version]) =>
  readCgroupDetails(
    { mount: '/m', version, read: (path) => shown[path.replace(version === 2 ? '/m/c/' : '/m/', '')] },
    '/c',
  );

describe('what a cgroup says in detail', () => {
  it.each([1, 2] as const)('is the same from version %d of the kernel', (version) => {
    expect(detailsOf(version)).toEqual({
      cpuUserSeconds: 2,
      cpuSystemSeconds: 1,
      cfs: { periods: 10, throttledPeriods: 4, throttledSeconds: 0.5, burstPeriods: 1, burstSeconds: 0.25 },
      memory: {
        cache: 4096,
        mappedFile: 1024,
        kernel: 512,
        max: 9000,
        failures: 7,
        activeFile: 4000,
        inactiveFile: 96,
      },
      oomKills: 2,
      processes: 2,
      threads: 5,
      threadsMax: 100,
      spec: {
        cpuShares: 998,
        cpuPeriod: 100_000,
        cpuQuota: 50_000,
        memoryLimit: 1_048_576,
        memoryReservation: 0,
        swapLimit: 0,
      },
      disks: [{ major: '8', minor: '0', readBytes: 4096, writtenBytes: 8192, reads: 1, writes: 2 }],
    });
  });

  it.each([1, 2] as const)('is nothing where version %d shows nothing', (version) => {
    const text = new MetricText();
    writeDetails(text, [{ labels: 'id="/c"', details: detailsOf(version, {}) }], () => '');
    expect(text.toString()).toBe('');
  });

  it('has no quota where there is none', () => {
    expect(detailsOf(2, { 'cpu.max': 'max 100000\n' }).spec).toMatchObject({ cpuPeriod: 100_000, cpuQuota: undefined });
    expect(detailsOf(1, { 'cpu/c/cpu.cfs_quota_us': '-1\n' }).spec.cpuQuota).toBeUndefined();
  });

  it('is told under the names of cAdvisor, disks by their devices', () => {
    const text = new MetricText();
    const deviceOf = blockDevices('major minor  #blocks  name\n\n   8        0  524288 sda\n');
    writeDetails(text, [{ labels: 'id="/c"', details: detailsOf(2) }], deviceOf);
    checkMetricText(text.toString());
    expect(text.toString()).toContain('container_oom_events_total{id="/c"} 2\n');
    expect(text.toString()).toContain('container_fs_writes_bytes_total{id="/c",device="/dev/sda"} 8192\n');
    expect(text.toString()).toContain(
      'container_blkio_device_usage_total{id="/c",device="/dev/sda",major="8",minor="0",operation="Read"} 4096\n',
    );
  });
});

describe('cgroups that are read for a scrape', () => {
  it('are so many at most, those first that have waited longest, and each is forgotten when it is gone', () => {
    const read: string[] = [];
    const reader = new DetailReader((cgroup) => {
      read.push(cgroup);
      return detailsOf(2, {});
    }, 2);
    const scrape = (...cgroups: readonly string[]) => {
      read.length = 0;
      const known = [...reader.detailsOf(cgroups).keys()].sort();
      return { read: [...read], known };
    };
    expect(scrape('a', 'b', 'c')).toEqual({ read: ['a', 'b'], known: ['a', 'b'] });
    expect(scrape('a', 'b', 'c')).toEqual({ read: ['c', 'a'], known: ['a', 'b', 'c'] });
    expect(scrape('a', 'b', 'c')).toEqual({ read: ['b', 'c'], known: ['a', 'b', 'c'] });
    expect(scrape('a', 'd')).toEqual({ read: ['d', 'a'], known: ['a', 'd'] });
    expect(scrape()).toEqual({ read: [], known: [] });
  });
});
