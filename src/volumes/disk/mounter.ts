import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { loopDevices, type DeviceHolds } from './loop-devices.ts';
import { messageOf } from '../../kube/text/message-of.ts';

/** Access to the kernel's mounts. Rejects with the output of the `mount` program. */
export interface Mounter extends DeviceHolds {
  /** `target`: a path from `OpenDirectory.pathFor`, or an absolute path without links. */
  mount(mount: {
    readonly type: string;
    readonly source: string;
    readonly target: string;
    readonly options: string;
  }): Promise<void>;
  bind(source: string, target: string): Promise<void>;
  unmount(target: string): Promise<void>;
  /** Returns the present mount points. */
  mountPoints(): Promise<readonly MountPoint[]>;
  /** The id of this process, as other processes see it. */
  readonly pid: number;
}

export interface MountPoint {
  readonly path: string;
  readonly type: string;
}

/** A program that hangs on a dead server is killed, and the operation is retried later. */
const PROGRAM_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

async function program(name: string, args: readonly string[]): Promise<void> {
  try {
    await run(name, args, {
      timeout: PROGRAM_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    });
  } catch (error) {
    // What `execFile` rejects with; any other error has neither member.
    const { stderr, killed } = error as { readonly stderr?: string; readonly killed?: boolean };
    if (killed === true) throw new Error(`${name} did not end within ${PROGRAM_TIMEOUT_MS / 1000} s`, { cause: error });
    const said = stderr?.trim() ?? '';
    throw new Error(said === '' ? `${name}: ${messageOf(error)}` : said, {
      cause: error,
    });
  }
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Uses this host's `mount` and `umount`. They take paths literally: a name that changes meanwhile cannot redirect them.
 */
export const systemMounter: Mounter = {
  mount: ({ type, source, target, options }) => program('mount', ['-c', '-t', type, '-o', options, source, target]),
  bind: (source, target) => program('mount', ['-c', '--bind', source, target]),
  unmount: (target) => program('umount', ['-c', target]),
  mountPoints: async () => parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8')),
  pid: process.pid,
  ...loopDevices,
};

/** Parses `/proc/self/mountinfo`, in which the kernel writes blanks in paths as octal. */
export function parseMountInfo(text: string): readonly MountPoint[] {
  const points: MountPoint[] = [];
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ', 2);
    const path = before.split(' ')[4];
    const type = after.split(' ', 1)[0];
    if (path !== undefined && type !== undefined && type !== '') points.push({ path: unescaped(path), type });
  }
  return points;
}

const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
