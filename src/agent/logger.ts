import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type DestinationStream, pino } from 'pino';
import { makeDirectories } from '../host/exact-modes.ts';
import type { Log } from '../actor/log.ts';
import { boundedFields, boundedMessage } from './log-bounds.ts';

/** Destination and format of log lines. Plain data, so that every thread can get the same. */
export interface LogSettings {
  /** As `--v`: from 4 on, debug lines are written too. */
  readonly verbosity: number;
  /** `json`: one JSON object per line. `text`: for people. */
  readonly format: 'json' | 'text';
  /** `stderr`, or the path of a file to append to. Its folder is created. */
  readonly destination: string;
  /** Fields added to every line. */
  readonly bindings?: Readonly<Record<string, string>>;
}

/** A log whose verbosity can change while it is in use. */
export interface AdjustableLog extends Log {
  /** Sets the verbosity, as `--v`. */
  setVerbosity(verbosity: number): void;
}

/** Returns the least important level that is written. */
export const levelOf = (verbosity: number): 'info' | 'debug' => (verbosity >= 4 ? 'debug' : 'info');

/**
 * Returns the log of one thread. Lines are written at once and whole, so several threads may share a destination and no
 * line is lost when a thread dies. The field `pod` names a pod as `namespace/name`. Each text is cut to 1,024
 * characters.
 */
export function makeLog(settings: LogSettings): AdjustableLog {
  const { destination, format, verbosity, bindings = {} } = settings;
  const lines = openLines(destination);
  const log = pino(
    {
      level: levelOf(verbosity),
      base: bindings,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      hooks: {
        // Every line passes here, so no caller has to cut foreign texts.
        logMethod(line, write) {
          // `Log` allows only these arguments; the library would accept others.
          const [fields, message] = line as unknown as Parameters<Log['info']>;
          write.call(log, boundedFields(fields), boundedMessage(message));
        },
      },
    },
    format === 'text' ? prettyLines(lines, destination === 'stderr' && process.stderr.isTTY) : lines,
  );
  return Object.assign(log, {
    setVerbosity(now: number) {
      log.level = levelOf(now);
    },
  });
}

function openLines(destination: string): DestinationStream {
  if (destination === 'stderr') return pino.destination({ fd: 2, sync: true });
  makeDirectories(dirname(destination), 0o755);
  return pino.destination({ dest: destination, sync: true });
}

/** Formats synchronously: the library's own stream would buffer lines and lose them when the process ends. */
function prettyLines(lines: DestinationStream, colorize: boolean): DestinationStream {
  // Loaded on demand: every thread has a log, and few logs are pretty.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });
  return { write: (line) => lines.write(format(line)) };
}
