/**
 * Loaded before all other modules (`--import`). Makes a process kill itself with SIGKILL at a chosen one of its changing calls
 * to the file system or to `mount`, on any thread. A kill from outside hits such a call only by chance; here the same
 * number hits the same call each time.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

const KEY = 'hivelet-die-at-call';
/** Indexes of the number of calls made, the number to die at (0: never), and the moment relative to that call. */
const MADE = 0;
const DIE_AT = 1;
const WHEN = 2;
const BEFORE = 0;
const HALF = 2;

if (isMainThread) setEnvironmentData(KEY, new SharedArrayBuffer(12));
// The main thread has just set the data; its threads inherit them.
const shared = new Int32Array(getEnvironmentData(KEY) as SharedArrayBuffer);

/** Counts from 0, and dies at this call. `when`: 0 before the call, 1 after, 2 halfway where a call can be split. */
export function dieAt(call: number, when: number): void {
  Atomics.store(shared, MADE, 0);
  Atomics.store(shared, WHEN, when);
  Atomics.store(shared, DIE_AT, call);
}

export const callsMade = (): number => Atomics.load(shared, MADE);

const plainWrite = fs.writeSync;

const die = (name: string): void => {
  // Written synchronously, since the harness needs the place of the death.
  plainWrite(2, `died at ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, in which the process must do nothing more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
};

type Call = (...args: never[]) => unknown;

function counted(name: string, original: Call): Call {
  return (...args) => {
    const mine = Atomics.add(shared, MADE, 1) + 1 === Atomics.load(shared, DIE_AT);
    const when = Atomics.load(shared, WHEN);
    if (mine && when === BEFORE) die(`${name}, before it`);
    if (mine && when === HALF && name === 'writeSync') {
      const [file, bytes, from] = args as unknown as [number, Uint8Array, number];
      if (file > 2 && bytes.length > 1) original(...([file, bytes, from, bytes.length >> 1] as never[]));
      die(`${name}, half of it done`);
    }
    const done = original(...args);
    if (mine) die(`${name}, after it`);
    return done;
  };
}

const CHANGING =
  'mkdirSync rmdirSync unlinkSync renameSync symlinkSync writeSync writeFileSync chmodSync fchmodSync chownSync fchownSync lchownSync'.split(
    ' ',
  );
const calls = fs as unknown as Record<string, Call>;
for (const name of CHANGING) {
  const original = calls[name];
  if (original !== undefined) calls[name] = counted(name, original);
}
const execFile = childProcess.execFile as unknown as Call & { [promisify.custom]: Call };
const { [promisify.custom]: promised } = execFile;
const patched = counted('mount', execFile) as Call & { [promisify.custom]: Call };
patched[promisify.custom] = counted('mount', promised);
(childProcess as unknown as Record<string, Call>)['execFile'] = patched;
syncBuiltinESMExports();
