/** The placeholders of recorded texts, and the values that match them. */
const holes: Readonly<Record<string, string>> = {
  '<uid>': '[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}',
  '<id>': '[0-9a-f]{8,}',
  '<ip>': '[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+',
  '<d>': '[0-9.]+(?:ns|µs|ms|s|m|h)(?:[0-9.]+(?:ms|s|m))*',
  '<n>': '[0-9.]+[A-Za-z]*',
};

const hole = /<(?:uid|id|ip|d|n)>/g;

/** `true` if a text matches the recorded text with its placeholders. */
export function fitsText(recorded: string, text: string): boolean {
  if (recorded === text) return true;
  if (!recorded.includes('<')) return false;
  const between = recorded.split(hole).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const open = [...recorded.matchAll(hole)].map(([name]) => `(?:${holes[name] ?? ''})`);
  const pattern = between.map((part, index) => part + (open[index] ?? '')).join('');
  return new RegExp(`^${pattern}$`, 's').test(text);
}
