import type { WallMs } from '../actor/clock.ts';
import { labelText, MetricText } from './metric-text.ts';
import type { ContainerStats, CpuStats, MemoryStats, NodeStats, PodStats, SwapStats } from './summary.ts';

const NANO = 1e-9;

interface Thing {
  readonly labels: string;
  readonly stats: { readonly cpu?: CpuStats; readonly memory?: MemoryStats; readonly swap?: SwapStats };
}

/**
 * Prometheus text of `/metrics/resource` (KEP-727), for schedulers and autoscalers. Samples carry the time of their
 * measurement. `pods` `undefined`: the runtime did not answer, and a metric reports that too.
 */
export function resourceMetrics(node: NodeStats, pods: readonly PodStats[] | undefined): string {
  const text = new MetricText();
  const containers: (Thing & { readonly stats: ContainerStats })[] = [];
  const things: Thing[] = [];
  for (const pod of pods ?? []) {
    const { namespace, name } = pod.podRef;
    things.push({ labels: labelText({ namespace, pod: name }), stats: pod });
    for (const stats of pod.containers) {
      containers.push({ labels: labelText({ container: stats.name, namespace, pod: name }), stats });
    }
  }
  cpuAndMemory(text, { prefix: 'node', what: 'node' }, [{ labels: '', stats: node }]);
  cpuAndMemory(text, { prefix: 'container', what: 'container' }, containers);
  const limits = text.family(
    'container_swap_limit_bytes',
    'gauge',
    '[ALPHA] Swap that the container may use, in bytes.',
  );
  for (const { labels, stats } of containers) {
    const { swapAvailableBytes: left, swapUsageBytes: used, time } = stats.swap ?? {};
    if (left !== undefined && used !== undefined) limits.add(labels, left + used, instant(time));
  }
  const started = text.family(
    'container_start_time_seconds',
    'gauge',
    '[STABLE] When the container was started, in seconds since the epoch.',
  );
  for (const { labels, stats } of containers) started.add(labels, Date.parse(stats.startTime) / 1_000);
  cpuAndMemory(text, { prefix: 'pod', what: 'pod' }, things);
  const failed = pods === undefined ? 1 : 0;
  text
    .family('resource_scrape_error', 'gauge', '[STABLE] 1 if the figures of containers could not be had, 0 otherwise.')
    .add('', failed);
  text
    .family('scrape_error', 'gauge', '[ALPHA] (Deprecated since 1.29.0) The older name of resource_scrape_error.')
    .add('', failed);
  return text.toString();
}

function cpuAndMemory(
  text: MetricText,
  { prefix, what }: { readonly prefix: string; readonly what: string },
  things: readonly Thing[],
): void {
  const at = instants();
  const cpu = text.family(
    `${prefix}_cpu_usage_seconds_total`,
    'counter',
    `[STABLE] Processor time that the ${what} has used, in seconds.`,
  );
  for (const { labels, stats } of things) {
    const used = stats.cpu?.usageCoreNanoSeconds;
    if (used !== undefined) cpu.add(labels, used * NANO, at(stats.cpu?.time));
  }
  const memory = text.family(
    `${prefix}_memory_working_set_bytes`,
    'gauge',
    `[STABLE] Memory of the ${what} that cannot be taken back, in bytes.`,
  );
  for (const { labels, stats } of things) memory.add(labels, stats.memory?.workingSetBytes, at(stats.memory?.time));
  const swap = text.family(
    `${prefix}_swap_usage_bytes`,
    'gauge',
    `[ALPHA] Memory of the ${what} that was swapped out, in bytes.`,
  );
  for (const { labels, stats } of things) swap.add(labels, stats.swap?.swapUsageBytes, at(stats.swap?.time));
}

const instant = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));

/** Most samples share one instant: its text is parsed once. */
function instants(): (time: string | undefined) => number | undefined {
  let text: string | undefined;
  let at: WallMs | undefined;
  return (time) => {
    if (time !== text) [text, at] = [time, instant(time)];
    return at;
  };
}
