import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { spawn } from 'node:child_process';
import type { Clock } from '../../actor/clock.ts';

/** A lock file that this process holds until it ends. */
export interface HeldLock {
  /**
   * Resolves with the reason once another process wants the lock, or the file is gone. Stays pending where the kernel
   * does not show waiting processes.
   */
  wanted(): Promise<string>;
  /** `true` if the kernel shows this process who waits for the lock. */
  readonly showsWaiting: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** The number of the open file in the program that locks it. */
const INHERITED = 3;

/**
 * Locks a file (`flock`), and waits until the process that holds it lets go. `waits` is called once when it has to wait.
 * Node has no call for that lock. The program `flock` of util-linux locks the open file that it inherits, which this
 * process then holds by itself. Rejects when the file or the program cannot be used.
 */
export async function holdLockFile(
  path: string,
  { clock, waits }: { readonly clock: Pick<Clock, 'after'>; readonly waits: () => void },
): Promise<HeldLock> {
  const { O_CREAT, O_RDWR } = constants;
  const file = openSync(path, O_CREAT | O_RDWR, 0o600);
  try {
    if ((await lock(file, ['--exclusive', '--nonblock'])) === 'held-elsewhere') {
      waits();
      await lock(file, ['--exclusive']);
    }
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const id = lockIdIn(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'));
  const { ino } = fstatSync(file, { bigint: true });
  const contention = (): string | undefined => {
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.ino !== ino) return 'the lock file was removed';
    const pid = id === undefined ? undefined : waitingFor(readFileSync('/proc/locks', 'utf8'), id);
    return pid === undefined ? undefined : `process ${pid} waits for the lock file`;
  };
  return {
    showsWaiting: id !== undefined,
    wanted: () =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = contention();
          if (found === undefined) clock.after(LOOK_EVERY_MS, look);
          else resolve(found);
        };
        look();
      }),
  };
}

function lock(file: number, flags: readonly string[]): Promise<'held' | 'held-elsewhere'> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', [...flags, String(INHERITED)], { stdio: ['ignore', 'ignore', 'ignore', file] });
    child.once('error', (error) => reject(new Error(`the program flock could not be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve('held');
      // `--nonblock` ends with 1 when another process holds the lock.
      else if (code === 1) resolve('held-elsewhere');
      else reject(new Error(`the program flock ended with ${signal ?? `exit code ${String(code)}`}`));
    });
  });
}

/** Returns the lock's file as `/proc/locks` names it, from `/proc/<pid>/fdinfo/<fd>`. */
export const lockIdIn = (fdinfo: string): string | undefined =>
  /^lock:\s+\d+: FLOCK\s+ADVISORY\s+WRITE\s+\d+\s+(\S+)\s/m.exec(fdinfo)?.[1];

/** Returns the process that `/proc/locks` shows as waiting for a lock of that file. */
export function waitingFor(locks: string, id: string): string | undefined {
  for (const line of locks.split('\n')) {
    const [, pid, file] = /^\d+:\s+-> FLOCK\s+ADVISORY\s+\w+\s+(\d+)\s+(\S+)\s/.exec(line) ?? [];
    if (file === id) return pid;
  }
  return undefined;
}
