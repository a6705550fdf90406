import { closeSync, openSync, readSync } from 'node:fs';

const WARN = new Set(['warn', 'error', 'fatal']);
const READ_BYTES = 64 * 1024;

/**
 * Reads what is new in a log of JSON lines, and keeps what is a warning or worse. All threads of the agent write to that
 * file; only one of them may draw on the terminal.
 */
export class LogFollower {
  readonly #path: string;
  #offset = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** The warnings since the last call, a line each. A log that is not there yet has none. */
  warnings(): readonly string[] {
    const lines = (this.#rest + this.#readNew()).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map(warningIn).filter((line) => line !== undefined);
  }

  #readNew(): string {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch {
      return '';
    }
    try {
      const chunks: Buffer[] = [];
      for (;;) {
        const buffer = Buffer.alloc(READ_BYTES);
        const read = readSync(file, buffer, 0, READ_BYTES, this.#offset);
        if (read === 0) return Buffer.concat(chunks).toString('utf8');
        this.#offset += read;
        chunks.push(buffer.subarray(0, read));
      }
    } finally {
      closeSync(file);
    }
  }
}

/** A logged warning as people read it; `undefined` for lines that are none. */
export function warningIn(line: string): string | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { level, time: _time, msg, pid: _pid, hostname: _hostname, ...fields } = entry as Record<string, unknown>;
  if (typeof level !== 'string' || !WARN.has(level)) return undefined;
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${level}:`, String(msg), ...details].join(' ').replaceAll('\n', ' ');
}
