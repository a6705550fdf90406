import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';

/** A part of a session in a separate process. It ends with this process. */
export interface EmbeddedProcess {
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface EmbeddedProcessStart {
  readonly mainScript: string;
  /** The command to run, and its arguments. */
  readonly args: readonly string[];
  /** The file for its output. */
  readonly log: string;
  /** Its name in messages. */
  readonly what: string;
}

/**
 * Starts a command of this program in a separate process. Resolves once the process reports that it is ready, rejects
 * if it never does.
 */
export function startEmbeddedProcess({ mainScript, args, log, what }: EmbeddedProcessStart): Promise<EmbeddedProcess> {
  const output = openSync(log, 'a');
  // The process has its own group, so that Ctrl-C does not end it before the pods that need it are stopped. The channel
  // tells it when this process is gone, for any reason.
  const child = spawn(process.execPath, [...process.execArgv, mainScript, ...args], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return new Promise((resolve, reject) => {
    void ended.then((reason) => reject(new Error(`${what} did not start: ${reason}; see ${log}`)));
    child.once('message', () => {
      resolve({
        ended,
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
      });
    });
  });
}
