/** One sample of Prometheus' text format, taken apart. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly atMs: number | undefined;
}

export interface CheckedFamily {
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const VALUE = '[+-]?(?:Inf|NaN|(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (${VALUE}|NaN)(?: (-?[0-9]+))?$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);

/**
 * Reads Prometheus' text format (0.0.4) and rejects what a strict reader rejects: a metric whose lines are not together, a metric
 * without help or type, a sample under another's head, a sample twice, a label twice, a counter that is negative.
 */
export function checkMetricText(text: string): ReadonlyMap<string, CheckedFamily> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { type: string | undefined; samples: Sample[] }>();
  const seen = new Set<string>();
  let name: string | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const head = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line);
    if (head !== null) {
      const [, what, of = '', rest = ''] = head;
      if (what === 'HELP') {
        if (families.has(of)) fail('the lines of a metric are not together');
        families.set(of, { type: undefined, samples: [] });
        name = of;
      } else {
        const family = families.get(of);
        if (family === undefined || name !== of) fail('a type without help before it');
        if (!TYPES.has(rest)) fail('no such type');
        if (family !== undefined) family.type = rest;
      }
      continue;
    }
    const family = name === undefined ? undefined : families.get(name);
    const sample = SAMPLE.exec(line);
    if (sample === null || family?.type === undefined || name === undefined) return fail('not a line of a metric');
    const [, of = '', labelText = '', value = '', at] = sample;
    if (baseOf(of, family.type) !== name) fail(`not of ${name}`);
    const labels = labelsOf(labelText, fail);
    const key = `${of}{${Object.keys(labels)
      .toSorted()
      .map((label) => `${label}=${labels[label]}`)
      .join()}}`;
    if (seen.has(key)) fail('a sample twice');
    seen.add(key);
    const number = Number(value.replace('Inf', 'Infinity'));
    if (family.type === 'counter' && !(number >= 0)) fail('a counter below nought');
    family.samples.push({ name: of, labels, value: number, atMs: at === undefined ? undefined : Number(at) });
  }
  return new Map(
    [...families].map(([of, { type, samples }]) => {
      if (type === undefined) throw new Error(`${of} has no type`);
      return [of, { type, samples }] as const;
    }),
  );
}

const baseOf = (name: string, type: string): string =>
  type === 'histogram' || type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name;

function labelsOf(text: string, fail: (why: string) => never): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== '';) {
    const label = LABEL.exec(rest);
    if (label === null) return fail('labels cannot be read');
    const [all, name = '', value = ''] = label;
    if (name in labels) fail('a label twice');
    labels[name] = value.replaceAll(/\\(.)/g, (_, escape: string) => (escape === 'n' ? '\n' : escape));
    rest = rest.slice(all.length);
  }
  return labels;
}
