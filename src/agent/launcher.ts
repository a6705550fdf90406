import { spawn } from 'node:child_process';
import type { Clock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import type { Random } from '../actor/random.ts';
import type { CrashHistory } from '../actor/restart-budget.ts';
import { agentEnvironment } from './environment.ts';
import { type AgentEnd, afterAgentEnd } from './agent-end.ts';
import { notifySystemd } from './notify-systemd.ts';
import { isAgentNotice } from './process-exit.ts';
import { onStopSignal } from './stop-signals.ts';

export interface LauncherDeps {
  /** The script that is the agent, and its arguments. */
  readonly agent: readonly [script: string, ...args: string[]];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Whether these arguments ask for an agent with a launcher. Whatever else is in them is for the agent to judge: the launcher
 * stays small by not knowing the command line.
 */
export const asksForLauncher = ([command, ...flags]: readonly string[]): boolean =>
  command === 'run' && !flags.some((flag) => ['--no-launcher', '--no_launcher', '--help', '-h'].includes(flag));

/**
 * The last line of defence: keeps an agent process running. One huge allocation can abort a whole Node process whatever
 * limits its threads have, so what starts the agent again must not live in it. Returns the code to exit with.
 */
export function launch(deps: LauncherDeps): Promise<number> {
  const { clock, log } = deps;
  const left = Promise.withResolvers<number>();
  let history: CrashHistory = [];
  let current: AgentProcess | undefined;
  let cancelRestart = (): void => {};
  let asked = false;

  const start = (): void => {
    current = startAgentProcess(deps, (end) => {
      current = undefined;
      const verdict = afterAgentEnd(history, { ...end, wasAsked: asked, at: clock.monotonic(), chance: deps.random() });
      if (verdict.type === 'leave') return left.resolve(verdict.code);
      history = verdict.history;
      const { code, signal } = end;
      log.error({ code, signal, restartInMs: verdict.afterMs }, 'agent process ended by itself; starting it again');
      cancelRestart = clock.after(verdict.afterMs, start);
    });
  };

  onStopSignal(['SIGINT', 'SIGTERM'], (reason) => {
    if (!asked) notifySystemd('STOPPING=1');
    asked = true;
    cancelRestart();
    if (current === undefined) left.resolve(0);
    else current.kill(reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
  });
  start();
  return left.promise;
}

interface AgentProcess {
  kill(signal: NodeJS.Signals): void;
}

type ProcessEnd = Pick<AgentEnd, 'code' | 'signal' | 'wasReady'>;

function startAgentProcess({ agent, log }: LauncherDeps, ended: (end: ProcessEnd) => void): AgentProcess {
  // The channel is also how the agent learns that this process was killed.
  const child = spawn(process.execPath, [...process.execArgv, ...agent], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: agentEnvironment(process.env),
  });
  let wasReady = false;
  child.on('message', (message) => {
    if (!isAgentNotice(message)) return;
    wasReady = true;
    notifySystemd('READY=1');
  });
  child.on('error', (error) => log.error({ err: error.message }, 'agent process cannot be started or reached'));
  child.on('close', (code, signal) => ended({ code, signal, wasReady }));
  return { kill: (signal) => void child.kill(signal) };
}
