import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { writeHeld } from '../../src/stats/cadvisor-details.ts';
import { MetricText } from '../../src/stats/metric-text.ts';
import { type OpenDescriptors, readProcessDetails } from '../../src/stats/process-details.ts';
import { realHost } from '../../src/stats/stats-host.ts';
import { checkMetricText } from './check-metric-text.ts';

const LIMITS =
  'Limit                     Soft Limit           Hard Limit           Units\n' +
  'Max processes             7                    8                    processes\n' +
  'Max open files            1024                 4096                 files\n';

interface Given {
  readonly procs?: string;
  readonly limits?: string;
  readonly held?: Readonly<Record<string, OpenDescriptors>>;
}

function detailsOf({ procs = '10\n11\n', limits = LIMITS, held = {} }: Given, version: 1 | 2 = 2) {
  const files: Readonly<Record<string, string>> = {
    [version === 2 ? '/m/c/cgroup.procs' : '/m/memory/c/cgroup.procs']: procs,
    '/proc/10/limits': limits,
  };
  return readProcessDetails({ mount: '/m', version, read: (path) => files[path] }, '/c', (pid, atMost) => {
    const found = held[pid];
    return found !== undefined && found.all > atMost ? 'more' : found;
  });
}

describe("the open files of a container's processes", () => {
  const held = { 10: { all: 5, sockets: 2 }, 11: { all: 3, sockets: 1 } };
  const many = Array.from({ length: 51 }, (_, index) => `${10 + index}\n`).join('');

  it.each([
    { rule: 'are the sum over the processes', given: { held }, is: { fileDescriptors: 8, sockets: 3, mayOpen: 1024 } },
    { rule: 'leave out an ended process', given: { held: { 10: held[10] } }, is: { fileDescriptors: 5, sockets: 2 } },
    {
      rule: 'are not counted for too many processes',
      given: { procs: many, held },
      is: { fileDescriptors: undefined, sockets: undefined, mayOpen: 1024 },
    },
    {
      rule: 'are not counted when there are too many',
      given: { held: { ...held, 11: { all: 496, sockets: 0 } } },
      is: { fileDescriptors: undefined, sockets: undefined },
    },
    {
      rule: 'have no limit',
      given: { limits: LIMITS.replace('1024     ', 'unlimited') },
      is: { mayOpen: -1 },
    },
    { rule: 'have no limit when none is reported', given: { limits: '' }, is: { mayOpen: undefined } },
  ])('$rule', ({ given, is }) => {
    expect(detailsOf(given)).toMatchObject(is);
    expect(detailsOf(given, 1)).toEqual(detailsOf(given));
  });

  it('are zero without processes', () => {
    expect(detailsOf({ procs: '' })).toBeUndefined();
  });

  it("have cAdvisor's names, and are left out when unknown", () => {
    const text = new MetricText();
    const rows = [
      { labels: 'id="/a"', held: { fileDescriptors: 8, sockets: 3, mayOpen: 1024 } },
      { labels: 'id="/b"', held: { fileDescriptors: undefined, sockets: undefined, mayOpen: -1 } },
    ];
    writeHeld(text, rows);
    checkMetricText(text.toString());
    expect(text.toString().replaceAll(/^#.*\n/gm, '')).toBe(
      'container_file_descriptors{id="/a"} 8\ncontainer_sockets{id="/a"} 3\n' +
        'container_ulimits_soft{id="/a",ulimit="max_open_files"} 1024\n' +
        'container_ulimits_soft{id="/b",ulimit="max_open_files"} -1\n',
    );
  });
});

describe.runIf(process.platform === 'linux')('this machine', () => {
  const own = (atMost = 100_000) => realHost.descriptors(String(process.pid), atMost);
  const counted = (): OpenDescriptors => {
    const found = own();
    if (found === undefined || found === 'more') throw new Error('this process is here');
    return found;
  };

  it('count open files and sockets of a process', async () => {
    const before = counted();
    const file = openSync('/dev/null', 'r');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const after = counted();
    closeSync(file);
    await new Promise((resolve) => server.close(resolve));
    expect(after).toEqual({ all: before.all + 2, sockets: before.sockets + 1 });
  });

  it('stop counting at the limit, and are unknown for an ended process', () => {
    expect(own(1)).toBe('more');
    expect(realHost.descriptors('0', 1)).toBeUndefined();
  });
});
