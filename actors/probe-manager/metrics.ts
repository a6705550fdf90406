import type { Metric, Registry } from '../../src/metrics/prometheus.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { ProbeKind } from './protocol.ts';

/** The metric labels of a probe. */
export interface ProbeLabels {
  readonly kind: ProbeKind;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  readonly podUid: string;
}

/** The counts of one probe, as plain numbers: text is made only at scrape time. */
export interface ProbeFigures {
  count(result: ProbeOutcome['result'], seconds: number): void;
  /** The probe has ended for good; its counts are removed. */
  forget(): void;
}

export interface ProbeMetrics {
  of(labels: ProbeLabels): ProbeFigures;
  /** Removes the counts of an earlier incarnation, which no longer grow. */
  forgetAll(): void;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const RESULTS = ['successful', 'failed', 'unknown'] as const;
const TYPES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

interface Counted {
  readonly labels: ProbeLabels;
  readonly results: Record<(typeof RESULTS)[number], number>;
  /** Runs per bucket, each counted once; the last bucket holds the runs beyond all bounds. */
  readonly buckets: Uint32Array;
  seconds: number;
}

/**
 * The kubelet's probe metrics. With thousands of label sets, the library's own counters would be the larger part of a
 * probe's cost.
 */
export function probeMetrics(registry: Pick<Registry, 'registerMetric'>): ProbeMetrics {
  const counted = new Set<Counted>();
  register(registry, {
    name: 'prober_probe_total',
    help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
    type: 'counter',
    values: () => [...counted].flatMap(totals),
  });
  register(registry, {
    name: 'prober_probe_duration_seconds',
    help: 'Duration in seconds for a probe response.',
    type: 'histogram',
    values: () => [...counted].flatMap(durations),
  });
  return {
    forgetAll: () => counted.clear(),
    of(labels) {
      const figures: Counted = {
        labels,
        results: { successful: 0, failed: 0, unknown: 0 },
        buckets: new Uint32Array(BUCKETS.length + 1),
        seconds: 0,
      };
      counted.add(figures);
      return {
        count(result, seconds) {
          figures.results[resultName(result)] += 1;
          // Only an answer has a duration.
          if (result === 'error' || result === 'unheard') return;
          const at = BUCKETS.findIndex((limit) => seconds <= limit);
          const index = at < 0 ? BUCKETS.length : at;
          figures.buckets[index] = (figures.buckets[index] ?? 0) + 1;
          figures.seconds += seconds;
        },
        forget: () => void counted.delete(figures),
      };
    },
  };
}

const resultName = (result: ProbeOutcome['result']): (typeof RESULTS)[number] =>
  result === 'failure' ? 'failed' : result === 'success' || result === 'warning' ? 'successful' : 'unknown';

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

function totals({ labels, results }: Counted): Value[] {
  const { kind, container, pod, namespace, podUid } = labels;
  return RESULTS.filter((result) => results[result] > 0).map((result) => ({
    labels: { probe_type: TYPES[kind], result, container, pod, namespace, pod_uid: podUid },
    value: results[result],
  }));
}

function durations({ labels: { kind, container, pod, namespace }, buckets, seconds }: Counted): Value[] {
  const labels = { probe_type: TYPES[kind], container, pod, namespace };
  const name = 'prober_probe_duration_seconds';
  let sum = 0;
  const values: Value[] = [...BUCKETS, '+Inf'].map((le, index) => {
    sum += buckets[index] ?? 0;
    return { labels: { ...labels, le }, value: sum, metricName: `${name}_bucket` };
  });
  return [
    ...values,
    { labels, value: seconds, metricName: `${name}_sum` },
    { labels, value: sum, metricName: `${name}_count` },
  ];
}

/** A registry asks a metric for its values when the registry is scraped. */
function register(
  registry: Pick<Registry, 'registerMetric'>,
  { name, help, type, values }: { name: string; help: string; type: string; values: () => readonly Value[] },
): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: values() }),
  };
  // The library's type names only its own classes; it uses only `name` and `get` of these.
  registry.registerMetric(metric as unknown as Metric);
}
