import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';

/** A part of a session that runs in a process of its own beside this one, and ends with it. */
export interface EmbeddedProcess {
  /** Resolves when the process ended, asked or not. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface EmbeddedProcessStart {
  readonly mainScript: string;
  /** The command that it runs, and its arguments. */
  readonly args: readonly string[];
  /** The file that takes what it prints. */
  readonly log: string;
  /** What it is, in messages. */
  readonly what: string;
}

/** Starts a command of this program beside this process. Resolves once it says that it is ready, rejects if it never does. */
export function startEmbeddedProcess({ mainScript, args, log, what }: EmbeddedProcessStart): Promise<EmbeddedProcess> {
  const output = openSync(log, 'a');
  // A group of its own, so that Ctrl-C does not end it before the pods that need it are stopped; the channel tells it when
  // this process is gone, however that went.
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
