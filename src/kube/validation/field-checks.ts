import type { FieldPath, FieldProblem } from './field-path.ts';

/** Collects the problems below one place of an object. Paths are built only for problems. */
export interface FieldChecks {
  /** Reports the value of a member (or of this place itself, for an empty path). */
  report(path: FieldPath, value: unknown, message: string): void;
  /** Returns the same collection, seen from a member. */
  below(...path: FieldPath): FieldChecks;
}

export function fieldChecks(problems: FieldProblem[], base: FieldPath = []): FieldChecks {
  return {
    report: (path, value, message) => {
      problems.push({ path: [...base, ...path], ...(value === undefined ? {} : { value }), message });
    },
    below: (...path) => fieldChecks(problems, [...base, ...path]),
  };
}

export const REQUIRED = 'is required';

/** Reports a value for which the rule returns a problem. */
export function checkRule(
  checks: FieldChecks,
  [path, value]: readonly [FieldPath, string],
  whyNot: (value: string) => string | undefined,
): void {
  const why = whyNot(value);
  if (why !== undefined) checks.report(path, value, why);
}

/** Reports a value that is not in a closed list; absent values are fine. */
export function checkOneOf(
  checks: FieldChecks,
  [path, value]: readonly [FieldPath, string | undefined],
  allowed: readonly string[],
): void {
  if (value !== undefined && !allowed.includes(value))
    checks.report(path, value, `must be one of ${allowed.join(', ')}`);
}

/** Reports a number outside its bounds; absent values are fine. */
export function checkRange(
  checks: FieldChecks,
  [path, value]: readonly [FieldPath, number | undefined],
  [least, most]: readonly [number, number],
): void {
  if (value === undefined || (value >= least && value <= most)) return;
  checks.report(path, value, most === MAX_INT32 ? `must be ${least} or more` : `must be between ${least} and ${most}`);
}

export const MAX_INT32 = 2 ** 31 - 1;

/** Reports each value that appears in a list for the second time. */
export function checkUnique(
  checks: FieldChecks,
  values: readonly (string | undefined)[],
  pathOf: (index: number) => FieldPath,
): void {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (value === undefined || value === '') continue;
    if (seen.has(value)) checks.report(pathOf(index), value, 'appears twice');
    seen.add(value);
  }
}
