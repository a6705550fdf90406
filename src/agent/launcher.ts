import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Clock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { type MemoryBound, watchMemoryBound } from '../actor/insight/memory-bound.ts';
import { mebibytes } from '../actor/insight/memory-holders.ts';
import type { Random } from '../actor/random.ts';
import type { CrashHistory } from '../actor/supervision/restart-budget.ts';
import { OOM_SCORE_FILE } from '../host/process/own-process.ts';
import { residentBytesOf } from '../host/process/process-memory.ts';
import { type AgentEnd, afterAgentEnd, reasonOfEnd } from './agent-end.ts';
import { agentEnvironment } from './environment.ts';
import { EXIT_WITHIN_MS } from './exit-holders.ts';
import { notifySystemd } from './systemd/notify-systemd.ts';
import { type AgentNotice, isAgentNotice } from './process-exit.ts';
import { onStopSignal } from './stop-signals.ts';
import { type AgentPhase, every, launcherNotifies, watchdogAsked, watchdogNotifier } from './systemd/watchdog.ts';

export interface LauncherDeps {
  /** The script of the agent, and its arguments. */
  readonly agent: readonly [script: string, ...args: string[]];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * `true` if these arguments request an agent with a launcher. The agent validates all other arguments: the launcher
 * stays small by not knowing the command line.
 */
export const asksForLauncher = ([command, ...flags]: readonly string[]): boolean =>
  command === 'run' && !flags.some((flag) => ['--no-launcher', '--no_launcher', '--help', '-h'].includes(flag));

/**
 * The last line of defence: keeps an agent process running. One huge allocation can abort a whole Node process whatever
 * limits its threads have. So the agent is restarted from a separate process. Resolves with the exit code.
 */
export function launch(deps: LauncherDeps): Promise<number> {
  const { clock, log } = deps;
  const left = Promise.withResolvers<number>();
  let history: CrashHistory = [];
  let current: AgentProcess | undefined;
  let cancelRestart = (): void => {};
  let asked = false;

  let phase: AgentPhase = { type: 'restarting' };
  const watchdog = watchdogAsked(process.env, process.pid);
  const notifyWatchdog = watchdog.type === 'on' ? watchdogNotifier(clock) : () => {};
  const endWatchdog =
    watchdog.type === 'on'
      ? every(clock, watchdog.withinMs / 2, () => {
          if (launcherNotifies(phase, clock.monotonic())) notifyWatchdog();
        })
      : () => {};
  void left.promise.then(endWatchdog);

  const start = (): void => {
    phase = { type: 'starting', since: clock.monotonic() };
    const reports = { ready: () => (phase = { type: 'ready' }), healthy: notifyWatchdog };
    current = startAgentProcess(deps, reports, (end) => {
      current = undefined;
      phase = { type: 'restarting' };
      const verdict = afterAgentEnd(history, { ...end, wasAsked: asked, at: clock.monotonic(), chance: deps.random() });
      if (verdict.type === 'exit') return left.resolve(verdict.code);
      history = verdict.history;
      const { code, signal, killedFor } = end;
      const reason = reasonOfEnd(end, killedFor);
      log.error({ code, signal, reason, restartInMs: verdict.afterMs }, 'agent process ended; restarting it');
      cancelRestart = clock.after(verdict.afterMs, start);
    });
  };

  onStopSignal(['SIGINT', 'SIGTERM'], (reason) => {
    if (!asked) void notifySystemd('STOPPING=1');
    asked = true;
    cancelRestart();
    if (current === undefined) left.resolve(0);
    else current.kill(reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
  });
  start();
  return left.promise;
}

/**
 * Returns the launcher's memory limit for an agent. The agent watches its own limit and can log the largest holders.
 * The launcher's limit is for an agent whose main thread is stuck, or that cannot end itself. Such an agent is killed:
 * a request to end would only give it more time to grow.
 */
export function launchersBound(limitBytes: number): MemoryBound {
  return { limitBytes: limitBytes * 1.25, looksOver: 20, atOnceBytes: limitBytes * 2 + 256 * 2 ** 20 };
}

/** The agent warns when it may not set the score of its own, so a failure of its launcher is not reported again. */
function takeOomScore(value: number): void {
  try {
    writeFileSync(OOM_SCORE_FILE, String(value));
  } catch {
    // The kernel's defaults stay in force.
  }
}

interface AgentProcess {
  kill(signal: NodeJS.Signals): void;
}

interface ProcessEnd extends Pick<AgentEnd, 'code' | 'signal' | 'wasReady'> {
  /** The reason why the launcher killed the process. `undefined` when it did not. */
  readonly killedFor: string | undefined;
}

/** The reports of a living agent that its launcher acts on. */
interface AgentReports {
  readonly ready: () => void;
  readonly healthy: () => void;
}

function startAgentProcess(
  { agent, log, clock }: LauncherDeps,
  reports: AgentReports,
  ended: (end: ProcessEnd) => void,
): AgentProcess {
  // The channel also tells the agent that this process was killed.
  const child = spawn(process.execPath, [...process.execArgv, ...agent], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: agentEnvironment(process.env),
  });
  let wasReady = false;
  let killedFor: string | undefined;
  let leavesWith: number | undefined;
  const endWatches: (() => void)[] = [];
  const obey = (notice: AgentNotice): void => {
    switch (notice.type) {
      case 'agent-ready':
        wasReady = true;
        reports.ready();
        return void notifySystemd('READY=1');
      case 'agent-healthy':
        return reports.healthy();
      case 'agent-oom-score':
        return takeOomScore(notice.value);
      case 'agent-memory-limit':
        return void endWatches.push(
          watchMemoryBound({
            clock,
            bound: launchersBound(notice.bytes),
            resident: () => (child.pid === undefined ? undefined : residentBytesOf(child.pid)),
            near() {},
            eased() {},
            over(bytes) {
              killedFor =
                `the agent held ${mebibytes(bytes)} MiB of memory, limit ${mebibytes(notice.bytes)} MiB, and did not exit; ` +
                'the launcher killed it, containers keep running';
              child.kill('SIGKILL');
            },
          }),
        );
      case 'agent-exiting':
        leavesWith = notice.code;
        return void endWatches.push(clock.after(EXIT_WITHIN_MS, () => void child.kill('SIGKILL')));
      default:
        return notice satisfies never;
    }
  };
  child.on('message', (message) => {
    if (isAgentNotice(message)) obey(message);
  });
  child.on('error', (error) => log.error({ err: error.message }, 'agent process cannot be started or signalled'));
  child.on('close', (code, signal) => {
    for (const end of endWatches) end();
    // An agent that hung in its exit counts as ended with the code that it announced.
    const wasLeaving = signal === 'SIGKILL' && killedFor === undefined && leavesWith !== undefined;
    ended({ ...(wasLeaving ? { code: leavesWith ?? null, signal: null } : { code, signal }), wasReady, killedFor });
  });
  return { kill: (signal) => void child.kill(signal) };
}
