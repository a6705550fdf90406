/** The reason why a plan is rejected: the place, the value found, and the expected value. */
export interface FaultProblem {
  /** Counted from 1. `undefined` for a problem outside the rules. */
  readonly rule: number | undefined;
  /** The field within the rule, or within the plan: `match.actor`. Empty for the whole rule or plan. */
  readonly path: string;
  /** The value as written, cut when long. `undefined` when there was none. */
  readonly value: string | undefined;
  /** The end of a sentence that begins with the value. */
  readonly says: string;
}

const LONGEST_VALUE = 60;

/** Returns the text of any value, for a problem. */
export function writtenAs(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A value written as YAML can be written as JSON.
  const text = JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

/** Returns one line: `rule 2, when.rate: 1.5 must be a number from 0 to 1`. */
export function formatFaultProblem({ rule, path, value, says }: FaultProblem): string {
  const place = [rule === undefined ? '' : `rule ${rule}`, path].filter((part) => part !== '').join(', ');
  return `${place === '' ? 'the plan' : place}: ${value === undefined ? '' : `${value} `}${says}`;
}
