import { execFile, spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeDirectoriesLater } from './exact-modes.ts';
import type { ShutdownListener, ShutdownLock, ShutdownNotices } from './shutdown-notices.ts';

const run = promisify(execFile);
const ASK_WITHIN_MS = 5_000;
const MANAGER = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const;
const DROP_IN = '/etc/systemd/logind.conf.d/99-kubelet.conf';

export interface LogindOptions {
  /** The environment of the tools; `DBUS_SYSTEM_BUS_ADDRESS` says which bus. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The path of the drop-in file that raises the limit. */
  readonly dropIn?: string;
}

/**
 * Returns systemd-logind, used through systemd's own tools. A lock is a child process that holds it and releases it
 * when this process ends. A watch is a child process that prints signals.
 */
export function logind({ env, dropIn = DROP_IN }: LogindOptions): ShutdownNotices {
  // Node's type asks for a mutable environment, and changes none.
  const options = { env: env as NodeJS.ProcessEnv, timeout: ASK_WITHIN_MS };
  const property = async (name: string): Promise<string> => {
    const { stdout } = await run('busctl', ['--system', 'get-property', ...MANAGER, name], options);
    return stdout.trim();
  };
  return {
    async delayLimitMs() {
      const microseconds = /^t (\d+)$/.exec(await property('InhibitDelayMaxUSec'))?.[1];
      if (microseconds === undefined) throw new Error('logind does not report InhibitDelayMaxUSec');
      return Number(microseconds) / 1000;
    },
    async raiseDelayLimit(seconds) {
      await makeDirectoriesLater(dirname(dropIn), 0o755);
      await writeFile(dropIn, `# Pods get this long at a shutdown.\n[Login]\nInhibitDelayMaxSec=${seconds}\n`);
      // logind's own reader may be another user.
      await chmod(dropIn, 0o644);
      await run('systemctl', ['kill', '--signal=SIGHUP', 'systemd-logind.service'], options);
    },
    isShuttingDown: async () => (await property('PreparingForShutdown')) === 'b true',
    holdBack: () => holdBack(env),
    watch: (listener) => watch(listener, env),
  };
}

/** The child reports when it has the lock: it runs its command only then. */
function holdBack(env: LogindOptions['env']): Promise<ShutdownLock> {
  const why = '--why=Pods need time to end';
  const child = spawn(
    'systemd-inhibit',
    ['--what=shutdown', '--mode=delay', '--who=hivelet', why, 'sh', '-c', 'echo held; exec cat'],
    { env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  return new Promise((resolve, reject) => {
    let detail = '';
    child.stderr.on('data', (text: Buffer) => void (detail = (detail + text.toString()).slice(-500)));
    child.stdin.on('error', () => {});
    child.once('error', reject);
    child.once('exit', () =>
      reject(new Error(detail.trim() || 'systemd-inhibit ended, so the inhibitor lock was lost')),
    );
    // This process owns the child's input. So the lock ends with the process, however the process ends.
    child.stdout.once('data', () => resolve({ release: () => void child.stdin.end() }));
  });
}

function watch(listener: ShutdownListener, env: LogindOptions['env']): () => void {
  const match = "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown'";
  const child = spawn('busctl', ['--system', 'monitor', '--json=short', `--match=${match}`], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let detail = '';
  let isOver = false;
  const lost = (text: string): void => {
    if (!isOver) listener.lost(text);
    isOver = true;
  };
  child.stderr.on('data', (text: Buffer) => void (detail = (detail + text.toString()).slice(-500)));
  child.once('error', (error) => lost(error.message));
  child.once('exit', () => lost(detail.trim() || 'busctl monitor ended'));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const announced = announcedBy(line);
    if (announced !== undefined && !isOver) listener.announced(announced);
  });
  return () => {
    isOver = true;
    child.kill();
  };
}

/** Returns the announcement in a line of `busctl monitor --json=short`. `undefined` for any other line. */
export function announcedBy(line: string): boolean | undefined {
  try {
    // The parts in use are checked below.
    const signal = JSON.parse(line) as {
      readonly interface?: unknown;
      readonly member?: unknown;
      readonly payload?: { readonly data?: unknown };
    };
    if (signal.interface !== MANAGER[2] || signal.member !== 'PrepareForShutdown') return undefined;
    const data = signal.payload?.data;
    const announced: unknown = Array.isArray(data) ? data[0] : undefined;
    return typeof announced === 'boolean' ? announced : undefined;
  } catch {
    return undefined;
  }
}
