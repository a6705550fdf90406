import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import { labelText } from '../../src/metrics/metric-labels.ts';
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

const RESULTS = ['successful', 'failed', 'unknown'] as const;
const TYPES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

const PROBES = {
  name: 'prober_probe_total',
  help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
  type: 'counter',
  labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
} as const;

const DURATION = {
  name: 'prober_probe_duration_seconds',
  help: 'Duration in seconds for a probe response.',
  type: 'histogram',
  labels: ['probe_type', 'container', 'pod', 'namespace'],
  buckets: DEFAULT_BUCKETS,
} as const;

interface Counted {
  readonly labels: ProbeLabels;
  readonly results: Record<(typeof RESULTS)[number], number>;
  /** Runs per bucket, each counted once; the last bucket holds the runs beyond all bounds. */
  readonly buckets: Uint32Array;
  seconds: number;
}

/** The kubelet's metrics of probes. With thousands of label sets, a look-up by labels would be the larger part of a probe's cost. */
export function probeMetrics(families: MetricFamilies): ProbeMetrics {
  const counted = new Set<Counted>();
  families.family(PROBES, () => [...counted].flatMap(totals));
  families.family(DURATION, () => [...counted].flatMap(durations));
  return {
    forgetAll: () => counted.clear(),
    of(labels) {
      const figures: Counted = {
        labels,
        results: { successful: 0, failed: 0, unknown: 0 },
        buckets: new Uint32Array(DEFAULT_BUCKETS.length + 1),
        seconds: 0,
      };
      counted.add(figures);
      return {
        count(result, seconds) {
          figures.results[resultName(result)] += 1;
          // Only an answer has a duration.
          if (result === 'error' || result === 'unheard') return;
          const at = DEFAULT_BUCKETS.findIndex((limit) => seconds <= limit);
          const index = at < 0 ? DEFAULT_BUCKETS.length : at;
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

function totals({ labels, results }: Counted): string[] {
  const { kind, container, pod, namespace, podUid } = labels;
  return RESULTS.filter((result) => results[result] > 0).map((result) => {
    const own = labelText({ probe_type: TYPES[kind], result, container, pod, namespace, pod_uid: podUid });
    return `${PROBES.name}${own} ${results[result]}`;
  });
}

function durations({ labels: { kind, container, pod, namespace }, buckets, seconds }: Counted): string[] {
  const { name } = DURATION;
  const labels = { probe_type: TYPES[kind], container, pod, namespace };
  let sum = 0;
  const ends = [...DEFAULT_BUCKETS, '+Inf'].map((le, index) => {
    sum += buckets[index] ?? 0;
    return `${name}_bucket${labelText({ ...labels, le: String(le) })} ${sum}`;
  });
  return [...ends, `${name}_sum${labelText(labels)} ${seconds}`, `${name}_count${labelText(labels)} ${sum}`];
}
