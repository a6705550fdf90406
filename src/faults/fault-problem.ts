/** Why a plan is refused: where, what stands there, and what could. */
export interface FaultProblem {
  /** Counted from 1; undefined for what is not in a rule. */
  readonly rule: number | undefined;
  /** The field within the rule, or within the plan: `match.actor`. Empty for the whole of it. */
  readonly path: string;
  /** As it was written, cut when long; undefined where nothing was. */
  readonly value: string | undefined;
  /** The end of a sentence that begins with the value. */
  readonly says: string;
}

const LONGEST_VALUE = 60;

/** The text of a value of any kind, for a problem. */
export function writtenAs(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // What was written as YAML can be written as JSON.
  const text = JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

/** One line: `rule 2, when.rate: 1.5 must be a number from 0 to 1`. */
export function formatFaultProblem({ rule, path, value, says }: FaultProblem): string {
  const place = [rule === undefined ? '' : `rule ${rule}`, path].filter((part) => part !== '').join(', ');
  return `${place === '' ? 'the plan' : place}: ${value === undefined ? '' : `${value} `}${says}`;
}
