import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The runtime's files on the host. An error fails the call that needed the file. */
export interface RuntimeFiles {
  /** Makes an empty log file and its directories, unless the file exists. */
  createLog(path: string): void;
  /** Appends whole lines, already formatted. */
  appendLog(path: string, lines: string): void;
  /** Replaces the content of a termination message file. */
  writeTerminationMessage(path: string, text: string): void;
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function inDirectory(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true });
    write();
  }
}

/**
 * The host's files, written synchronously: opening and closing an empty log takes some ten microseconds. The
 * asynchronous way through the thread pool costs several times that CPU time, for each of thousands of containers.
 */
export const hostFiles: RuntimeFiles = {
  createLog: (path) => inDirectory(path, () => closeSync(openSync(path, 'a', 0o640))),
  appendLog: (path, lines) => inDirectory(path, () => writeFileSync(path, lines, { flag: 'a', mode: 0o640 })),
  writeTerminationMessage: (path, text) => writeFileSync(path, text),
};

/** Writes nothing. */
export const noFiles: RuntimeFiles = { createLog() {}, appendLog() {}, writeTerminationMessage() {} };

/** Formats standard output as container runtimes log it: time, stream, a tag for a whole line, text. */
export function formatLog(text: string, at: bigint): string {
  const seconds = new Date(Number(at / 1_000_000n)).toISOString().slice(0, 19);
  const time = `${seconds}.${String(at % 1_000_000_000n).padStart(9, '0')}Z`;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${time} stdout F ${line}\n`)
    .join('');
}
