import { closeSync, openSync, readSync } from 'node:fs';

const WARN = new Set(['warn', 'error', 'fatal']);
const READ_BYTES = 64 * 1024;

/**
 * Reads new lines in a log of JSON lines, and keeps warnings and errors. All threads of the agent write to that file;
 * only one process may draw on the terminal.
 */
export class LogFollower {
  readonly #path: string;
  #offset = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the warnings since the last call, one line each. Empty while the log does not exist. */
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

/** Returns a logged warning in readable form. `undefined` for all other lines. */
export function warningIn(line: string): string | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null) return undefined;
  // A line of the log is an object with any members; each is checked below.
  const { level, time: _time, msg, pid: _pid, hostname: _hostname, ...fields } = entry as Record<string, unknown>;
  if (typeof level !== 'string' || !WARN.has(level)) return undefined;
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${level}:`, String(msg), ...details].join(' ').replaceAll('\n', ' ');
}
