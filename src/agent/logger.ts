import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type DestinationStream, pino } from 'pino';
import type { Log } from '../actor/log.ts';
import { boundedFields, boundedMessage } from './log-bounds.ts';

/** Where and how log lines are written. Plain data, so that every thread can be given the same. */
export interface LogSettings {
  /** As `--v`: from 4 on, debug lines are written too. */
  readonly verbosity: number;
  /** `json`: a JSON object a line. `text`: for people. */
  readonly format: 'json' | 'text';
  /** `stderr`, or the path of a file that lines are added to. Its folder is made. */
  readonly destination: string;
  /** Fields of every line. */
  readonly bindings?: Readonly<Record<string, string>>;
}

/** A log that can be told to say more, or less, while it is written. */
export interface AdjustableLog extends Log {
  /** As `--v`. */
  setVerbosity(verbosity: number): void;
}

/** The least important level that is written. */
export const levelOf = (verbosity: number): 'info' | 'debug' => (verbosity >= 4 ? 'debug' : 'info');

/**
 * The log of one thread. Lines are written at once and whole, so several threads may share a destination and nothing is lost
 * when one of them dies. A pod is named in the field `pod`, as `namespace/name`. Each text is cut to 1,024 characters.
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
        // Every line passes here, so no caller has to cut what it was given by others.
        logMethod(line, write) {
          // As `Log` has it; the library would take other things too.
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
  mkdirSync(dirname(destination), { recursive: true, mode: 0o755 });
  return pino.destination({ dest: destination, sync: true });
}

/** Formats here and now: the library's own stream would hold lines back, and lose them when the process ends. */
function prettyLines(lines: DestinationStream, colorize: boolean): DestinationStream {
  // Every thread has a log, and most are never pretty.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', singleLine: true });
  return { write: (line) => lines.write(format(line)) };
}
