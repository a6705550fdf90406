import { describe, expect, it } from 'vitest';
import { readCgroup } from '../../src/stats/cgroup-figures.ts';
import { CpuRates } from '../../src/stats/cpu-rates.ts';
import {
  defaultInterface,
  interfaces,
  keyedNumber,
  memInfoBytes,
  oneNumber,
  pressure,
  runningProcesses,
} from '../../src/stats/kernel-text.ts';

describe("the kernel's files", () => {
  it.each([
    ['the first key', 'cache 1\nrss 2\n', 'cache', 1],
    ['the last key', 'cache 1\nrss 2', 'rss', 2],
    ['a key that ends as another does', 'total_rss 5\nrss 2\n', 'rss', 2],
    ['a key that begins as another does', 'rss_huge 5\nrss 2\n', 'rss', 2],
    ['no such key', 'cache 1\n', 'rss', undefined],
    ['no file', undefined, 'rss', undefined],
  ])('hold numbers by key: %s', (_, text, key, expected) => {
    expect(keyedNumber(text, key)).toBe(expected);
  });

  it('have "max" for no limit', () => {
    expect([oneNumber('max\n'), oneNumber('12\n'), oneNumber(undefined), oneNumber('')]).toEqual([
      undefined,
      12,
      undefined,
      undefined,
    ]);
  });

  it('count memory in kibibytes', () => {
    expect(memInfoBytes('MemTotal:       24684084 kB\nMemFree:        2 kB\n', 'MemFree')).toBe(2_048);
  });

  it('have pressure stalls, without a full line for CPU on old kernels', () => {
    const some = 'some avg10=1.50 avg60=0.00 avg300=0.10 total=12\n';
    const nothing = { avg10: 0, avg60: 0, avg300: 0, total: 0 };
    expect(pressure(some)).toEqual({ some: { avg10: 1.5, avg60: 0, avg300: 0.1, total: 12_000 }, full: nothing });
    expect(pressure(undefined)).toBeUndefined();
  });

  it('name external interfaces, and the interface of the default route', () => {
    const dev =
      'Inter-|   Receive                                                |  Transmit\n face |bytes    packets\n' +
      '    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  eth0:100 2 3 4 5 6 7 8 900 10 11 12 13 14 15 16\nvethab12: 1 2 3 4 5 6 7 8 9 10 11 12\n';
    expect(interfaces(dev)).toEqual([{ name: 'eth0', rxBytes: 100, rxErrors: 3, txBytes: 900, txErrors: 11 }]);
    const route = 'Iface\tDestination\tGateway\tFlags\neth1\t0000A8C0\t0\t0001\neth0\t00000000\t0101A8C0\t0003\n';
    expect(defaultInterface(route)).toBe('eth0');
  });

  it('count processes', () => {
    expect(runningProcesses('3.34 5.24 5.18 5/180 14548\n')).toBe(180);
  });
});

describe('the figures of a cgroup', () => {
  const sourceOf = (version: 1 | 2, files: Readonly<Record<string, string>>) => ({
    version,
    mount: '/cg',
    read: (path: string) => files[path],
  });

  it('are the working set without inactive files, and the memory available below a limit: version 1', () => {
    const source = sourceOf(1, {
      '/cg/memory/p/memory.usage_in_bytes': '1000\n',
      '/cg/memory/p/memory.limit_in_bytes': '2000\n',
      '/cg/memory/p/memory.stat':
        'rss 1\ntotal_rss 300\ntotal_inactive_file 200\ntotal_pgfault 5\ntotal_pgmajfault 1\n',
      '/cg/cpuacct/p/cpuacct.usage': '77\n',
    });
    expect(readCgroup(source, '/p')).toMatchObject({
      cpu: { usageCoreNanoSeconds: 77 },
      memory: { usageBytes: 1000, workingSetBytes: 800, availableBytes: 1200, rssBytes: 300, pageFaults: 5 },
    });
  });

  it('are the same of version 2', () => {
    const source = sourceOf(2, {
      '/cg/p/memory.current': '1000\n',
      '/cg/p/memory.max': 'max\n',
      '/cg/p/memory.stat': 'anon 300\nfile 700\ninactive_file 200\n',
      '/cg/p/memory.swap.current': '10\n',
      '/cg/p/memory.swap.max': '30\n',
      '/cg/p/cpu.stat': 'usage_usec 7\nuser_usec 4\n',
    });
    const figures = readCgroup(source, '/p');
    expect(figures).toMatchObject({
      cpu: { usageCoreNanoSeconds: 7_000 },
      memory: { workingSetBytes: 800, rssBytes: 300 },
      swap: { swapUsageBytes: 10, swapAvailableBytes: 20 },
    });
    expect(figures.memory).not.toHaveProperty('availableBytes');
  });

  it('never have a negative working set', () => {
    const files = { '/cg/p/memory.current': '100\n', '/cg/p/memory.stat': 'inactive_file 200\n' };
    expect(readCgroup(sourceOf(2, files), '/p').memory.workingSetBytes).toBe(0);
  });

  it('are empty for a missing cgroup', () => {
    expect(readCgroup(sourceOf(2, {}), '/gone')).toEqual({ cpu: {}, memory: {}, swap: undefined, io: undefined });
  });
});

describe('CPU usage', () => {
  it('is known from the second sample on', () => {
    const rates = new CpuRates();
    expect([rates.sample('a', 0, 0), rates.sample('a', 2_000, 1e9)]).toEqual([undefined, 5e8]);
  });

  it('keeps its value when samples are too close', () => {
    const rates = new CpuRates();
    rates.sample('a', 0, 0);
    rates.sample('a', 1_000, 1e9);
    expect(rates.sample('a', 1_010, 2e9)).toBe(1e9);
    expect(rates.sample('a', 2_000, 3e9)).toBe(2e9);
  });

  it('starts over when the counter is reset', () => {
    const rates = new CpuRates();
    rates.sample('a', 0, 5e9);
    expect([rates.sample('a', 1_000, 1e9), rates.sample('a', 2_000, 2e9)]).toEqual([undefined, 1e9]);
  });

  it('is dropped with its container', () => {
    const rates = new CpuRates();
    rates.sample('a', 0, 0);
    rates.keepOnly(new Set(['b']));
    expect(rates.sample('a', 1_000, 1e9)).toBeUndefined();
  });
});
