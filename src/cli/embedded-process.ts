import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';

export interface EmbeddedProcess {
  readonly endpoint: string;
  /** Where it takes commands about what it simulates. */
  readonly controlSocket: string;
  /** Resolves when the process ended, asked or not. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Starts `hivelet runtime` beside this process; it ends with this one. Rejects if it does not come up. */
export function startEmbeddedProcess(
  mainScript: string,
  paths: { readonly socket: string; readonly log: string },
): Promise<EmbeddedProcess> {
  const output = openSync(paths.log, 'a');
  // A group of its own, so that Ctrl-C does not end it before the pods in it are stopped; the channel tells it when this
  // process is gone, however that went.
  const child = spawn(process.execPath, [...process.execArgv, mainScript, 'runtime', '--socket', paths.socket], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return new Promise((resolve, reject) => {
    void ended.then((reason) => reject(new Error(`the embedded runtime did not start: ${reason}; see ${paths.log}`)));
    child.once('message', () => {
      resolve({
        endpoint: `unix://${paths.socket}`,
        controlSocket: `${paths.socket}.control`,
        ended,
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
      });
    });
  });
}
