import type { MonotonicMs } from '../actor/clock.ts';
import { afterCrash, type CrashHistory, type RestartRule } from '../actor/supervision/restart-budget.ts';
import { exitCodes } from './process-exit.ts';

/** How an agent process ended. */
export interface AgentEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** `true` if the agent had reported that it was ready. */
  readonly wasReady: boolean;
  /** `true` if the launcher was asked to end and had passed that on. */
  readonly wasAsked: boolean;
  /** Milliseconds on a monotonic scale. */
  readonly at: MonotonicMs;
  /** In [0, 1). */
  readonly chance: number;
}

export type LauncherVerdict =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'restart'; readonly afterMs: number; readonly history: CrashHistory };

/**
 * The agent is restarted for ever, at growing intervals: a node without an agent is worse than a node whose agent keeps
 * failing.
 */
const restartRule: RestartRule = {
  budget: { atMost: 6, withinMs: 10 * 60_000 },
  backOff: { initialMs: 1_000, maxMs: 30_000 },
  whenSpent: 'keep-trying',
};

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** Returns why an agent process ended without a request, for the log. */
export function reasonOfEnd(
  { code, signal }: Pick<AgentEnd, 'code' | 'signal'>,
  killedFor: string | undefined,
): string {
  if (killedFor !== undefined) return killedFor;
  if (code === exitCodes.memoryLimit)
    return 'the agent exceeded its memory limit; its last log lines name the largest holders';
  return signal === null ? `the agent exited with code ${code}` : `the agent was killed by ${signal}`;
}

/** Decides on the launcher's action after the end of the agent process. */
export function afterAgentEnd(history: CrashHistory, end: AgentEnd): LauncherVerdict {
  const { code, signal, wasReady, wasAsked } = end;
  if (wasAsked) return { type: 'exit', code: code ?? 128 + (signalNumbers[signal ?? ''] ?? 0) };
  if (code === exitCodes.ok) return { type: 'exit', code };
  // A problem that only the user can mend does not mend itself. After the agent was ready, code 1 is Node's code for an
  // uncaught error.
  if (code === exitCodes.userError && !wasReady) return { type: 'exit', code };
  const judged = afterCrash(history, { at: end.at, booting: !wasReady, chance: end.chance }, restartRule);
  const afterMs = judged.verdict.type === 'restart' ? judged.verdict.afterMs : restartRule.backOff.maxMs;
  return { type: 'restart', afterMs, history: judged.history };
}
