interface Family {
  readonly head: string[];
  readonly texts: Set<number>;
  readonly samples: string[];
}

/**
 * Joins the texts of several threads. A family may appear only once, so its samples are grouped under its first head. A
 * series may also appear only once, so counts of several threads under the same labels are added up.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const [index, text] of texts.entries()) {
    let current = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, keyword, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (name !== undefined) current = name;
      // A sample without a head belongs to a family of its own name.
      else if (!line.startsWith(current) || current === '') current = /^[^{\s]*/.exec(line)?.[0] ?? '';
      let family = families.get(current);
      if (family === undefined) families.set(current, (family = { head: [], texts: new Set(), samples: [] }));
      else if (keyword !== undefined && family.head.some((head) => head.startsWith(`# ${keyword} `))) continue;
      if (keyword === undefined) {
        family.texts.add(index);
        family.samples.push(line);
      } else family.head.push(line);
    }
  }
  return [...families.values()]
    .map(({ head, samples, texts: from }) => `${[...head, ...(from.size > 1 ? added(samples) : samples)].join('\n')}\n`)
    .join('');
}

function added(samples: readonly string[]): readonly string[] {
  const values = new Map<string, string>();
  for (const sample of samples) {
    const at = sample.lastIndexOf(' ');
    const series = sample.slice(0, at);
    const value = sample.slice(at + 1);
    const before = values.get(series);
    values.set(series, before === undefined ? value : String(Number(before) + Number(value)));
  }
  return Array.from(values, ([series, value]) => `${series} ${value}`);
}
