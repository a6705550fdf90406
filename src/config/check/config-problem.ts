import { isWithin } from '../fields/config-value.ts';

/** A problem of a configuration. `code` is for programs; people read {@link formatProblem}. */
export type ConfigProblemCode =
  | 'unreadable'
  | 'empty'
  | 'syntax'
  | 'wrong-kind'
  | 'duplicate-key'
  | 'unknown-field'
  | 'unknown-feature-gate'
  | 'unknown-flag'
  | 'wrong-type'
  | 'invalid-value'
  | 'conflict';

export interface ConfigProblem {
  readonly code: ConfigProblemCode;
  /** The file as it was given, the flag with its dashes, or `defaults`. */
  readonly source: string;
  /**
   * The field, as `authentication.webhook.cacheTTL` or `evictionHard["memory.available"]`; empty for the whole source.
   */
  readonly path: string;
  /** Both from 1; absent for flags, and for files that could not be read. */
  readonly line?: number;
  readonly column?: number;
  /** The offending value as it was written, cut when long. */
  readonly value?: string;
  readonly expected: string;
}

/** The place where a value was set. */
export interface Origin {
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
  readonly written: string;
}

/** The origin of each value by its path. Defaults have none. */
export type Origins = ReadonlyMap<string, Origin>;

const LONGEST_VALUE = 80;

export const abridged = (text: string): string =>
  text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;

/** A problem with the value that was written at `origin`. */
export function problemAt(
  origin: Origin,
  problem: { readonly code: ConfigProblemCode; readonly path: string; readonly expected: string },
): ConfigProblem {
  const { source, line, column, written } = origin;
  const place = line === undefined || column === undefined ? {} : { line, column };
  return { ...problem, source, ...place, value: abridged(written) };
}

/** Returns one line with the place, the value found, and the value expected. */
export function formatProblem(problem: ConfigProblem): string {
  const { source, path, line, column, value, expected } = problem;
  if (source.startsWith('--')) {
    const field = path === '' || source === `--${path}` ? '' : ` (${path})`;
    return `${source}${value === undefined ? '' : `=${value}`}: expected ${expected}${field}`;
  }
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  const found = value === undefined || value === '' ? '' : `found ${value}, `;
  return `${place}: ${path === '' ? '' : `${path}: `}${found}expected ${expected}`;
}

/** `true` if a problem at, within or around this path was reported already. */
export const isReported = (problems: readonly ConfigProblem[], path: string): boolean =>
  problems.some((problem) => problem.path !== '' && (isWithin(problem.path, path) || isWithin(path, problem.path)));
