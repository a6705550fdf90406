import { expect, it } from 'vitest';
import { readMachineShape } from '../../src/host/machine-shape.ts';
import { writeShape } from '../../src/stats/machine-shape-metrics.ts';
import { MetricText } from '../../src/stats/metric-text.ts';
import { checkMetricText } from '../stats/check-metric-text.ts';

/** Two sockets of two cores of two threads, each socket with its own memory. */
const CPUS = 8;
const files = new Map<string, string>();
for (let cpu = 0; cpu < CPUS; cpu += 1) {
  const core = cpu % 4;
  const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
  files.set(`${folder}/physical_package_id`, `${core < 2 ? 0 : 1}\n`);
  files.set(`${folder}/core_id`, `${core % 2}\n`);
  files.set(`${folder}/thread_siblings_list`, `${core},${core + 4}\n`);
}
for (const node of [0, 1]) {
  const folder = `/sys/devices/system/node/node${node}`;
  files.set(`${folder}/meminfo`, `Node ${node} MemTotal:       1024 kB\n`);
  files.set(`${folder}/distance`, node === 0 ? '10 21\n' : '21 10\n');
  files.set(`${folder}/hugepages/hugepages-2048kB/nr_hugepages`, '3\n');
  for (const cpu of [0, 1, 4, 5]) files.set(`${folder}/cpu${cpu + node * 2}/online`, '1\n');
}

const host = {
  read: (path: string) => files.get(path),
  list: (directory: string) => [
    ...new Set(
      [...files.keys()]
        .filter((path) => path.startsWith(`${directory}/`))
        .map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''),
    ),
    ...(directory.endsWith('/cpu') ? ['cpufreq', 'online'] : []),
  ],
};

it('a machine has sockets, cores, threads and memory', () => {
  const shape = readMachineShape(host);
  expect(shape).toMatchObject({ sockets: 2, physicalCores: 4 });
  expect(shape.threads[6]).toEqual({ thread: 6, core: '0', node: 1, siblings: 2 });
  expect(shape.nodes[1]).toEqual({
    id: 1,
    memoryBytes: 1_048_576,
    hugePages: [{ kibibytes: 2048, count: 3 }],
    distances: [21, 10],
  });
  const text = new MetricText();
  writeShape(text, 'machine_id="m"', shape);
  checkMetricText(text.toString());
  expect(text.toString()).toContain('machine_node_distance{machine_id="m",node_id="0",target_node_id="1"} 21\n');
});

it('is one core in one socket without topology', () => {
  expect(readMachineShape({ read: () => undefined, list: () => [] })).toEqual({
    sockets: 1,
    physicalCores: 1,
    nodes: [],
    threads: [],
  });
});
