/**
 * The deepest that a document may be nested. No object of Kubernetes is half as deep. A value of this depth can be walked
 * by recursion and sent between any two threads; a main thread receives no more than some 2,500 levels.
 */
export const MAX_DEPTH = 100;

/**
 * The most values that a document may hold, with aliases expanded. An object of the API has at most 1.5 MiB, and so
 * fewer values.
 */
export const MAX_VALUES = 500_000;

/**
 * Returns why a parsed document is refused before it is walked: too deep, or too many values. A few YAML aliases can
 * stand for billions of values. `undefined` when the document is accepted. Looks at no more values than are allowed.
 */
export function whyOverlarge(document: unknown): string | undefined {
  let values = 1;
  let level: readonly object[] = isComposite(document) ? [document] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
    const next: object[] = [];
    for (const each of level) {
      const members: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
      values += members.length;
      if (values > MAX_VALUES) return `it holds more than ${MAX_VALUES} values`;
      for (const member of members) if (isComposite(member)) next.push(member);
    }
    level = next;
  }
  return undefined;
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;
