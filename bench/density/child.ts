import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { atMost } from './rest.ts';

const STOP_WITHIN_MS = 10_000;

export interface ChildSpec {
  readonly name: string;
  /** Node's own options first, then the script and its arguments. */
  readonly args: readonly string[];
  /** File for the output. */
  readonly logFile: string;
  /** This process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Selects the message that reports readiness. Any message does by default. */
  readonly isReady?: (message: unknown) => boolean;
}

/**
 * A process that this benchmark started, and ends by its id. The process also ends with this one, when the channel
 * closes.
 */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Resolves with the first message that reports readiness or a result. Rejects if the process ends before. */
  readonly message: Promise<unknown>;
  /** Rejects when the process ends unasked; otherwise stays pending. */
  readonly alive: Promise<never>;
  logTail(): string;
  /** Sends a question with a number, and waits for the answer with the same one. */
  ask(question: unknown): Promise<unknown>;
}

export function startChild({ name, args, logFile, env = process.env, isReady = () => true }: ChildSpec): Child {
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, args, { stdio: ['ignore', output, output, 'ipc'], env });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  const logTail = (): string => readFileSync(logFile, 'utf8').slice(-2_000);
  const alive = Promise.withResolvers<never>();
  const message = Promise.withResolvers<unknown>();
  // An unhandled rejection must not end the process: the caller may ignore these promises.
  for (const each of [alive.promise, message.promise]) each.catch(() => {});
  let asked = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      const error = new Error(`${name} ended by itself (${signal ?? `exit code ${code}`}):\n${logTail()}`);
      message.reject(error);
      if (!asked) alive.reject(error);
      resolve();
    });
  });
  child.on('message', (sent) => {
    if (isReady(sent)) message.resolve(sent);
  });
  let asks = 0;
  const answers = new Map<number, (value: unknown) => void>();
  child.on('message', ({ id, value }: { readonly id?: number; readonly value?: unknown }) => {
    if (id !== undefined) answers.get(id)?.(value);
  });
  return {
    pid,
    message: message.promise,
    alive: alive.promise,
    logTail,
    ask: (question) =>
      new Promise((resolve) => {
        asks += 1;
        answers.set(asks, resolve);
        child.send({ id: asks, question });
      }),
    async [Symbol.asyncDispose]() {
      asked = true;
      child.kill('SIGTERM');
      await atMost(STOP_WITHIN_MS, ended);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}
