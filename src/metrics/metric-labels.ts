/** Returns `{name="value",…}` in Prometheus' text format; empty without labels. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
