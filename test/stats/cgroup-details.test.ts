import { describe, expect, it } from 'vitest';
import { blockDevices, writeDetails } from '../../src/stats/cadvisor-details.ts';
import { readCgroupDetails } from '../../src/stats/cgroup-details.ts';
import { DetailReader } from '../../src/stats/detail-reader.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MetricText } from '../../src/stats/metric-text.ts';
import { cgroupFiles, NETWORK } from './cgroup-file-samples.ts';
import { checkMetricText } from './check-metric-text.ts';

const detailsOf = (version: 1 | 2, shown: Readonly<Record<string, string>> = cgroupFiles[version]) =>
  readCgroupDetails(
    {
      mount: '/m',
      version,
      read: (path) =>
        path === '/proc/10/net/dev' ? NETWORK : shown[path.replace(version === 2 ? '/m/c/' : '/m/', '')],
    },
    '/c',
  );

describe('the details of a cgroup', () => {
  it.each([1, 2] as const)('are the same from cgroup v%d', (version) => {
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
      packets: [{ name: 'eth0', received: 11, receivedDropped: 1, sent: 22, sentDropped: 2 }],
      disks: [{ major: '8', minor: '0', readBytes: 4096, writtenBytes: 8192, reads: 1, writes: 2 }],
    });
  });

  it.each([1, 2] as const)('are empty if cgroup v%d lacks the files', (version) => {
    const text = new MetricText();
    writeDetails(text, [{ labels: 'id="/c"', details: detailsOf(version, {}) }], () => '');
    expect(text.toString()).toBe('');
  });

  it('have no quota without one', () => {
    expect(detailsOf(2, { 'cpu.max': 'max 100000\n' }).spec).toMatchObject({ cpuPeriod: 100_000, cpuQuota: undefined });
    expect(detailsOf(1, { 'cpu/c/cpu.cfs_quota_us': '-1\n' }).spec.cpuQuota).toBeUndefined();
  });

  it("have cAdvisor's names, with disks by their devices", () => {
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
  const scraped = (allOf: number, perScrape = 1_000) => {
    const clock = manualClock();
    const read: string[] = [];
    const reader = new DetailReader(
      (cgroup) => {
        read.push(cgroup);
        return detailsOf(2, {});
      },
      { after: (delayMs, fire) => clock.after(delayMs, fire), pace: { allOf, slice: 25, perScrape } },
    );
    const scrape = (cgroups: readonly string[]) => {
      read.length = 0;
      const known = [...reader.detailsOf(cgroups).keys()].sort();
      return { read: [...read].sort(), known };
    };
    return { clock, read, scrape };
  };
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `c${100 + index}`);

  it('include all cgroups on a node of usual size, and drop removed ones', () => {
    const { scrape, clock, read } = scraped(3);
    expect(scrape(['a', 'b', 'c'])).toEqual({ read: ['a', 'b', 'c'], known: ['a', 'b', 'c'] });
    expect(scrape(['a', 'd'])).toEqual({ read: ['a', 'd'], known: ['a', 'd'] });
    read.length = 0;
    clock.advance(60_000);
    expect(read).toEqual([]);
  });

  it('include some new cgroups on a large node, and the others in slices until the next scrape', () => {
    const { scrape, clock, read } = scraped(3);
    const all = names(60);
    expect(scrape(all)).toEqual({ read: names(25), known: names(25) });
    clock.advance(100);
    expect(read).toHaveLength(50);
    clock.advance(60_000);
    // The other cgroups, and again those that the scrape itself read.
    expect(read).toHaveLength(25 + 60);
    expect(scrape(all)).toEqual({ read: [], known: all });
    clock.advance(60_000);
    expect(read.toSorted()).toEqual(all);
  });

  it('are limited after a scrape, the least recently read first', () => {
    const { scrape, clock, read } = scraped(3, 30);
    const all = names(60);
    scrape(all);
    clock.advance(60_000);
    expect(read.slice(25)).toEqual(all.slice(25, 55));
    scrape(all);
    clock.advance(60_000);
    expect(read).toEqual([...all.slice(55), ...all.slice(0, 30)]);
  });

  it('are not read twice for concurrent scrapes', () => {
    const { scrape, clock, read } = scraped(3);
    const all = names(60);
    scrape(all);
    clock.advance(60_000);
    scrape(all);
    scrape(all);
    clock.advance(60_000);
    expect(read.toSorted()).toEqual(all);
  });
});
