import { suggestion } from '../config/flags/did-you-mean.ts';
import { own, put } from '../kube/text/own.ts';
import { writtenAs, type FaultProblem } from './fault-problem.ts';

/** One field of a foreign object, and its allowed values. */
export interface Field<T> {
  /** The end of a sentence: `must be …`. */
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
  readonly required?: true;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
/** The valid fields that were read. */
export type ReadAs<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never;
};

/** Collects the problems of one part of a plan. */
export class Report {
  readonly rule: number | undefined;
  readonly problems: FaultProblem[];

  constructor(rule: number | undefined, problems: FaultProblem[] = []) {
    this.rule = rule;
    this.problems = problems;
  }

  /** Returns the same collection, for a rule. */
  forRule(rule: number): Report {
    return new Report(rule, this.problems);
  }

  add(path: string, value: unknown, says: string): void {
    this.problems.push({ rule: this.rule, path, value: writtenAs(value), says });
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the fields of an object. Returns the valid fields and adds all problems to the report. */
export function readFields<F extends Fields>(
  value: unknown,
  fields: F,
  { report, path }: { readonly report: Report; readonly path: string },
): ReadAs<F> {
  if (!isObject(value)) {
    report.add(path, value, `must be an object with ${Object.keys(fields).join(', ') || 'nothing in it'}`);
    return {};
  }
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const names = Object.keys(fields);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    const known = names.length === 0 ? 'there are none here' : `known are ${names.join(', ')}`;
    report.add(within(name), undefined, `is not a field${suggestion(name, names) || `; ${known}`}`);
  }
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = own(value, name);
    if (given === undefined) {
      if (field.required === true) report.add(within(name), undefined, `is missing; it must be ${field.expected}`);
    } else if (field.accepts(given)) put(read, name, given);
    else report.add(within(name), given, `must be ${field.expected}`);
  }
  // Every value has passed the check of its field.
  return read as ReadAs<F>;
}

export const required = <T>(field: Field<T>): Field<T> & { readonly required: true } => ({ ...field, required: true });

export const wholeNumber = (least: number, most: number): Field<number> => ({
  expected: `a whole number from ${least} to ${most}`,
  accepts: (value): value is number => Number.isInteger(value) && isBetween(value, least, most),
});

export const someNumber = (least: number, most: number): Field<number> => ({
  expected: `a number from ${least} to ${most}`,
  accepts: (value): value is number => isBetween(value, least, most),
});

const isBetween = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

export const someText: Field<string> = {
  expected: 'a text that is not empty',
  accepts: (value): value is string => typeof value === 'string' && value !== '',
};

export const textOrTexts: Field<string | readonly string[]> = {
  expected: 'a text that is not empty, or a list of such',
  accepts: (value): value is string | readonly string[] =>
    someText.accepts(value) || (Array.isArray(value) && value.length > 0 && value.every(someText.accepts)),
};

export const oneOf = <T extends string>(words: readonly T[]): Field<T> => ({
  expected: `one of ${words.join(', ')}`,
  accepts: (value): value is T => words.some((word) => word === value),
});

/** The value is read separately. */
export const anything: Field<unknown> = {
  expected: 'anything',
  accepts: (value): value is unknown => value !== undefined,
};
