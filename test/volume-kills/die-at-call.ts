/**
 * To be loaded before everything else (`--import`): lets a process end itself with SIGKILL at a given one of its changing calls
 * to the file system or to `mount`, whichever of its threads makes it. What a kill from outside hits only by chance is hit here
 * as often as it is asked for, and again with the same number.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

const KEY = 'hivelet-die-at-call';
/** Where the number of calls made, the number to die at (0: at none) and when, relative to that call, stand. */
const MADE = 0;
const DIE_AT = 1;
const WHEN = 2;
const BEFORE = 0;
const HALF = 2;

if (isMainThread) setEnvironmentData(KEY, new SharedArrayBuffer(12));
// The main thread has just put it there; threads that it starts inherit it.
const shared = new Int32Array(getEnvironmentData(KEY) as SharedArrayBuffer);

/** Counts from nothing, and dies at this call: `when` it is 0 before, 1 after, 2 with half of it done where it can be halved. */
export function dieAt(call: number, when: number): void {
  Atomics.store(shared, MADE, 0);
  Atomics.store(shared, WHEN, when);
  Atomics.store(shared, DIE_AT, call);
}

export const callsMade = (): number => Atomics.load(shared, MADE);

const plainWrite = fs.writeSync;

const die = (name: string): void => {
  // Before anything else can happen; the harness wants to know where.
  plainWrite(2, `died at ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, and nothing more is to be done in it.
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
