/** One record of a container's log file. */
export interface ContainerLogRecord {
  /** RFC 3339 with nanoseconds, as the runtime wrote it. */
  readonly instant: string;
  readonly stream: 'stdout' | 'stderr';
  /** `true` if the line continues in the next record. */
  readonly isPartial: boolean;
  /** Ends with a newline exactly when the record ends its line. */
  readonly text: Buffer;
}

export type ContainerLogFormat = 'cri' | 'json';

const SPACE = 0x20;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

/** Returns the format of a log file, by its first line. `undefined` when the format is unknown. */
export function logFormatOf(line: Buffer): ContainerLogFormat | undefined {
  if (readCriRecord(line) !== undefined) return 'cri';
  return readJsonRecord(line) === undefined ? undefined : 'json';
}

/** `undefined` when the line is not a record. `line` ends with its newline. */
export const readLogRecord = (format: ContainerLogFormat, line: Buffer): ContainerLogRecord | undefined =>
  format === 'cri' ? readCriRecord(line) : readJsonRecord(line);

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** `<instant> stdout|stderr P|F[:tags] <text>`: the format that the CRI requires of every runtime. */
function readCriRecord(line: Buffer): ContainerLogRecord | undefined {
  const first = line.indexOf(SPACE);
  const second = line.indexOf(SPACE, first + 1);
  const third = line.indexOf(SPACE, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const instant = line.toString('latin1', 0, first);
  const stream = line.toString('latin1', first + 1, second);
  const [tag] = line.toString('latin1', second + 1, third).split(':');
  if (!instantPattern.test(instant)) return undefined;
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const isPartial = tag === 'P';
  // The newline that ends a record is part of its line only if the line ends here.
  const ends = isPartial && line.at(-1) === NEWLINE ? line.length - 1 : line.length;
  return { instant, stream, isPartial, text: line.subarray(third + 1, ends) };
}

/** One JSON object on each line, as Docker's json-file driver writes. */
function readJsonRecord(line: Buffer): ContainerLogRecord | undefined {
  if (line[0] !== BRACE) return undefined;
  let members: { readonly log?: unknown; readonly stream?: unknown; readonly time?: unknown };
  try {
    // Each member is checked below.
    members = JSON.parse(line.toString('utf8')) as typeof members;
  } catch {
    return undefined;
  }
  const { log, stream, time } = members;
  if (typeof log !== 'string' || typeof time !== 'string' || !instantPattern.test(time)) return undefined;
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  return { instant: time, stream, isPartial: !log.endsWith('\n'), text: Buffer.from(log, 'utf8') };
}
