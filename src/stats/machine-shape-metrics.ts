import type { MachineShape } from '../host/machine-shape.ts';
import { labelText, type MetricText } from './metric-text.ts';

/** Writes the machine's topology under cAdvisor's names. `machine`: the labels that identify it. */
export function writeShape(text: MetricText, machine: string, shape: MachineShape): void {
  const gauge = (name: string, help: string) => text.family(`machine_${name}`, 'gauge', help);
  const of = (labels: Readonly<Record<string, string | number>>): string =>
    `${machine},${labelText(Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)])))}`;
  gauge('cpu_physical_cores', 'Cores, however many threads each has.').add(machine, shape.physicalCores);
  gauge('cpu_sockets', 'Processor sockets.').add(machine, shape.sockets);
  const memory = gauge('node_memory_capacity_bytes', 'Memory of a NUMA node, in bytes.');
  for (const { id, memoryBytes } of shape.nodes) memory.add(of({ node_id: id }), memoryBytes);
  const hugePages = gauge(
    'node_hugepages_count',
    'Huge pages near some of the processors, by their size in kibibytes.',
  );
  for (const { id, hugePages: pages } of shape.nodes)
    for (const { kibibytes, count } of pages) hugePages.add(of({ node_id: id, page_size: kibibytes }), count);
  const distance = gauge('node_distance', 'Distance between two NUMA nodes, as the machine reports it.');
  for (const { id, distances } of shape.nodes)
    for (const [target, value] of distances.entries()) distance.add(of({ node_id: id, target_node_id: target }), value);
  const siblings = gauge('thread_siblings_count', 'Threads of the same core, this thread included.');
  for (const { thread, core, node, siblings: count } of shape.threads)
    siblings.add(of({ core_id: core, node_id: node, thread_id: thread }), count);
}
