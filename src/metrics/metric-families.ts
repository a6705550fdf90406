import { labelText } from './metric-labels.ts';

/** The description of a metric: its name, its meaning and its label names. */
export interface FamilySpec {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface HistogramSpec extends FamilySpec {
  /** Upper bounds, rising. The last, infinite bound is implied. */
  readonly buckets: readonly number[];
}

/** A described metric, for comparison with the kubelet's. */
export interface DescribedFamily extends FamilySpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly buckets?: readonly number[];
}

/** Label values are in the order of the label names. */
export interface Counter {
  add(labels?: readonly string[], by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: readonly string[]): void;
  /**
   * Reads the current value when metrics are collected. The latest reader counts: an actor's next incarnation has its
   * own.
   */
  readBy(read: () => Iterable<readonly [labels: readonly string[], value: number]>): void;
}

export interface Histogram {
  observe(value: number, labels?: readonly string[]): void;
}

interface Buckets {
  readonly counts: number[];
  sum: number;
}

const NO_LABELS: readonly string[] = [];

/** The metrics of one thread's actors, as Prometheus' text. A library would weigh two megabytes in each thread. */
export class MetricFamilies {
  readonly #families = new Map<string, { readonly described: DescribedFamily; readonly lines: () => string[] }>();
  readonly #counters = new Map<FamilySpec, Counter>();

  /** Several actors of a thread count together by asking with the same description, which is one object. */
  counter(spec: FamilySpec): Counter {
    let counter = this.#counters.get(spec);
    if (counter === undefined) this.#counters.set(spec, (counter = this.#counter(spec)));
    return counter;
  }

  #counter(spec: FamilySpec): Counter {
    const values = new Map<string, { readonly labels: readonly string[]; value: number }>();
    const child = (labels: readonly string[]) => childOf(values, labels, () => ({ labels, value: 0 }));
    if (spec.labels === undefined) child(NO_LABELS);
    this.family({ ...spec, type: 'counter' }, () => samples(spec, values.values()));
    return {
      add(labels = NO_LABELS, by = 1) {
        child(labels).value += by;
      },
    };
  }

  gauge(spec: FamilySpec): Gauge {
    const values = new Map<string, { readonly labels: readonly string[]; value: number }>();
    let read: (() => Iterable<readonly [readonly string[], number]>) | undefined;
    this.family({ ...spec, type: 'gauge' }, () =>
      samples(
        spec,
        read === undefined ? values.values() : Array.from(read(), ([labels, value]) => ({ labels, value })),
      ),
    );
    return {
      set(value, labels = NO_LABELS) {
        childOf(values, labels, () => ({ labels, value })).value = value;
      },
      readBy(reader) {
        read = reader;
      },
    };
  }

  histogram(spec: HistogramSpec): Histogram {
    const { buckets } = spec;
    const children = new Map<string, Buckets & { readonly labels: readonly string[] }>();
    const child = (labels: readonly string[]) =>
      childOf(children, labels, () => ({
        labels,
        sum: 0,
        counts: Array.from({ length: buckets.length + 1 }, () => 0),
      }));
    if (spec.labels === undefined) child(NO_LABELS);
    this.family({ ...spec, type: 'histogram' }, () =>
      [...children.values()].flatMap((each) => histogramLines(spec, each)),
    );
    return {
      observe(value, labels = NO_LABELS) {
        const found = child(labels);
        const index = buckets.findIndex((end) => value <= end);
        const bucket = index === -1 ? buckets.length : index;
        found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
        found.sum += value;
      },
    };
  }

  described(): readonly DescribedFamily[] {
    return [...this.#families.values()].map(({ described }) => described);
  }

  text(): string {
    return [...this.#families.values()]
      .map(({ described: { name, help, type }, lines }) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines(), ''].join('\n'),
      )
      .join('');
  }

  /** A family whose actor keeps the figures itself. `lines` writes the samples when the text is asked for. */
  family(described: DescribedFamily, lines: () => string[]): void {
    if (this.#families.has(described.name)) throw new Error(`the metric ${described.name} is already registered`);
    this.#families.set(described.name, { described, lines });
  }
}

function childOf<T>(children: Map<string, T>, labels: readonly string[], make: () => T): T {
  const key = labels.join('\0');
  let child = children.get(key);
  if (child === undefined) children.set(key, (child = make()));
  return child;
}

const named = ({ labels: names = NO_LABELS }: FamilySpec, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));

const samples = (
  spec: FamilySpec,
  values: Iterable<{ readonly labels: readonly string[]; readonly value: number }>,
): string[] => Array.from(values, ({ labels, value }) => `${spec.name}${labelText(named(spec, labels))} ${value}`);

function histogramLines(
  spec: HistogramSpec,
  { labels, counts, sum }: Buckets & { readonly labels: readonly string[] },
): readonly string[] {
  const { name, buckets } = spec;
  const own = named(spec, labels);
  let below = 0;
  const ends = counts.map((count, index) => {
    below += count;
    return `${name}_bucket${labelText({ ...own, le: index < buckets.length ? String(buckets[index]) : '+Inf' })} ${below}`;
  });
  return [...ends, `${name}_sum${labelText(own)} ${sum}`, `${name}_count${labelText(own)} ${below}`];
}

/** The upper bounds of most of Kubernetes' histograms in seconds. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
