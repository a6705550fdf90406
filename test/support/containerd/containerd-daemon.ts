import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { dirname, delimiter } from 'node:path';
import { RuntimeServiceService, StatusRequest } from '../../../src/cri/gen/api.ts';
import type { ContainerdTools } from './containerd-availability.ts';
import type { ContainerdLayout } from './containerd-config.ts';
import type { CriConnection } from './cri-connection.ts';
import { waitUntil } from './wait-until.ts';

/** One run of the containerd program. */
export interface DaemonRun {
  readonly pid: number;
  hasEnded(): boolean;
  /** Sends the signal and waits until the process is gone; at once if it is. SIGKILL follows after 10 s. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const START_WITHIN_MS = 30_000;
const END_WITHIN_MS = 10_000;
const STATUS_DEADLINE_MS = 2_000;

/** Starts containerd and waits until its CRI service reports runtime and network as ready. */
export async function runDaemon(
  layout: ContainerdLayout,
  tools: ContainerdTools,
  cri: CriConnection,
): Promise<DaemonRun> {
  const run = await spawnDaemon(layout, tools);
  try {
    const ready = (): Promise<boolean> => {
      if (run.hasEnded()) throw new Error('containerd ended while starting');
      return isReady(cri);
    };
    await waitUntil(ready, { what: 'containerd ready to run pods', withinMs: START_WITHIN_MS });
    return run;
  } catch (error) {
    await run.end('SIGKILL');
    throw new Error(`containerd did not start; the end of its log:\n${await logTail(layout.logFile)}`, {
      cause: error,
    });
  }
}

async function spawnDaemon(layout: ContainerdLayout, tools: ContainerdTools): Promise<DaemonRun> {
  const log = await open(layout.logFile, 'a');
  // containerd looks for its shim, runc and the tools of CNI plugins on PATH.
  const path = [...new Set(Object.values(tools).map((tool) => dirname(tool)))].join(delimiter);
  const child = spawn(tools.containerd, ['-c', layout.configFile], {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...process.env, PATH: `${path}${delimiter}${process.env['PATH'] ?? ''}` },
    // A group of its own: Ctrl-C ends the tests, which then stop containerd in good order.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  const spawned = new Promise<void>((resolve) => child.once('spawn', resolve));
  const problem = await Promise.race([failed, spawned]);
  await log.close();
  if (problem !== undefined || child.pid === undefined) throw problem ?? new Error('containerd has no process id');
  child.unref();
  return daemonRun(child, child.pid, ended);
}

function daemonRun(child: ChildProcess, pid: number, ended: Promise<void>): DaemonRun {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid,
    hasEnded,
    async end(signal) {
      if (hasEnded()) return;
      child.ref();
      child.kill(signal);
      const what = `containerd (process ${pid}) to end`;
      await waitUntil(hasEnded, { what, withinMs: END_WITHIN_MS }).catch(() => child.kill('SIGKILL'));
      await ended;
    },
  };
}

async function isReady(cri: CriConnection): Promise<boolean> {
  const request = StatusRequest.create();
  const options = { deadlineMs: STATUS_DEADLINE_MS };
  // Until it listens, and until its CRI plugin is loaded, the call fails in several ways that all mean "not yet".
  const answer = await cri.call(RuntimeServiceService.status, request, options).catch(() => undefined);
  const holds = (type: string): boolean => answer?.status?.conditions.some((c) => c.type === type && c.status) ?? false;
  return holds('RuntimeReady') && holds('NetworkReady');
}

async function logTail(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '(no log)');
  return log.trimEnd().split('\n').slice(-15).join('\n');
}
