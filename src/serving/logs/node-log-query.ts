import type { WallMs } from '../../actor/clock.ts';

/** A query for the logs of a node's services, or for one of its log files (KEP-2258). */
export interface NodeLogQuery {
  readonly services: readonly string[];
  /** Relative to the log folder. Then there are no services and no other options. */
  readonly file: string | undefined;
  readonly sinceTime: string | undefined;
  readonly untilTime: string | undefined;
  readonly tailLines: number | undefined;
  readonly pattern: string | undefined;
  /** 0 is the current boot, -1 the previous boot. */
  readonly boot: number | undefined;
}

export type ReadNodeLogQuery =
  | { readonly type: 'query'; readonly query: NodeLogQuery }
  /** No query: the path names a file or folder. */
  | { readonly type: 'none' }
  | { readonly type: 'refused'; readonly status: 400 | 406; readonly problem: string };

const MOST_SERVICES = 4;
const LONGEST_SERVICE = 256;
const LONGEST_PATTERN = 1_024;
const MOST_LINES = 100_000;
/** The characters that systemd allows in a unit's name, without the characters that could leave a folder. */
const SERVICE = /^[A-Za-z0-9@:_\\-][A-Za-z0-9@:._\\-]*$/;

/** Milliseconds since the epoch (RFC 3339). `undefined` when the text is not a time. */
const parseInstant = (text: string): number | undefined =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : undefined;

const integer = (text: string | null): number | undefined =>
  text !== null && /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined;

/** Reads and checks the query part of a request for `/logs/`. */
export function readNodeLogQuery(asked: URLSearchParams): ReadNodeLogQuery {
  const wanted = asked.getAll('query').filter((each) => each !== '');
  const refuse = (status: 400 | 406, problem: string): ReadNodeLogQuery => ({ type: 'refused', status, problem });
  const given = (name: string): string | undefined => asked.get(name) || undefined;
  const known = ['query', 'sinceTime', 'untilTime', 'tailLines', 'pattern', 'boot'];
  if (!known.some((name) => asked.has(name))) return { type: 'none' };
  for (const name of ['tailLines', 'boot']) {
    if (given(name) !== undefined && integer(asked.get(name)) === undefined) {
      return refuse(400, `${name}: ${JSON.stringify(asked.get(name))} is not a number`);
    }
  }
  for (const name of ['sinceTime', 'untilTime']) {
    if (given(name) !== undefined && Number.isNaN(parseInstant(given(name) ?? '') ?? NaN)) {
      return refuse(400, `${name}: ${JSON.stringify(asked.get(name))} is not an RFC 3339 time`);
    }
  }
  const files = wanted.filter((each) => each.includes('/'));
  const services = wanted.filter((each) => !each.includes('/'));
  const query: NodeLogQuery = {
    services,
    file: files[0],
    sinceTime: given('sinceTime'),
    untilTime: given('untilTime'),
    tailLines: integer(asked.get('tailLines')),
    pattern: given('pattern'),
    boot: integer(asked.get('boot')),
  };
  const problem = problemWith(query, files.length);
  return problem === undefined ? { type: 'query', query } : refuse(406, problem);
}

function problemWith(query: NodeLogQuery, files: number): string | undefined {
  const { services, file, sinceTime, untilTime, tailLines, pattern, boot } = query;
  if (file === undefined && services.length === 0) return 'query: it names no service and no file';
  if (file !== undefined && services.length > 0) return 'query: services and files cannot be asked for together';
  if (files > 1) return 'query: one file at a time';
  const options = [sinceTime, untilTime, tailLines, pattern, boot].some((each) => each !== undefined);
  if (file !== undefined && options) return 'query: a file is shown whole; other options are for services';
  if (services.length > MOST_SERVICES) return `query: ${MOST_SERVICES} services at most`;
  const odd = services.find((each) => each.length > LONGEST_SERVICE || !SERVICE.test(each));
  if (odd !== undefined) return `query: ${JSON.stringify(odd.slice(0, 64))} names no service`;
  if (tailLines !== undefined && (tailLines < 0 || tailLines > MOST_LINES))
    return `tailLines: between 0 and ${MOST_LINES}`;
  if (boot !== undefined && boot > 0) return 'boot: 0 for the current one, or less';
  if (pattern !== undefined && pattern.length > LONGEST_PATTERN)
    return `pattern: ${LONGEST_PATTERN} characters at most`;
  const [since, until] = [sinceTime, untilTime].map((text) => (text === undefined ? undefined : parseInstant(text)));
  if (since !== undefined && until !== undefined && since > until) return 'untilTime: it is before sinceTime';
  return undefined;
}

/**
 * Returns the arguments for the journal. Every value is part of its own option, so it cannot be taken for another
 * option. `now` bounds an answer without `untilTime`: a service that logs faster than the journal is read has no end.
 * `tailLines` is a bound already, and shows entries from a clock that was ahead.
 */
export function journalArguments(query: NodeLogQuery, now: WallMs): readonly string[] {
  const { services, sinceTime, tailLines, pattern, boot } = query;
  // The journal reads times in its own output format.
  const at = (text: string): string => {
    const instant = new Date(parseInstant(text) ?? 0).toISOString();
    return `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
  };
  // Times have whole seconds: the second that has begun belongs to the answer.
  const untilNow = tailLines === undefined ? new Date(now + 1_000).toISOString() : undefined;
  const untilTime = query.untilTime ?? untilNow;
  return [
    '--utc',
    '--no-pager',
    '--output=short-precise',
    ...(sinceTime === undefined ? [] : [`--since=${at(sinceTime)}`]),
    ...(untilTime === undefined ? [] : [`--until=${at(untilTime)}`]),
    ...(tailLines === undefined ? [] : [`--lines=${tailLines}`]),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : [`--boot=${boot}`]),
    ...services.map((service) => `--unit=${service}`),
  ];
}

/** Log files of a service without a journal, in order of preference. */
export const serviceLogFiles = (service: string): readonly string[] => [
  `${service}.log`,
  `${service}/${service}.log`,
  service,
];
