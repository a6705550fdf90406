import { afterCrash, type CrashHistory, type RestartRule } from '../actor/supervision/restart-budget.ts';
import { exitCodes } from './process-exit.ts';

/** How an agent process ended. */
export interface AgentEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it had said that it was ready. */
  readonly wasReady: boolean;
  /** Whether the launcher had been asked to end, and had passed that on. */
  readonly wasAsked: boolean;
  /** In milliseconds, on a monotonic scale. */
  readonly at: number;
  /** In [0, 1). */
  readonly chance: number;
}

export type LauncherVerdict =
  | { readonly type: 'leave'; readonly code: number }
  | { readonly type: 'restart'; readonly afterMs: number; readonly history: CrashHistory };

/** For ever, but ever more slowly: a node without an agent is worse than one whose agent keeps failing. */
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

/** Why an agent process ended that was not asked to, for the log. */
export function reasonOfEnd(
  { code, signal }: Pick<AgentEnd, 'code' | 'signal'>,
  killedFor: string | undefined,
): string {
  if (killedFor !== undefined) return killedFor;
  if (code === exitCodes.memoryLimit) return 'it held more memory than it may; its last lines say what held it';
  return signal === null ? `it ended by itself with code ${code}` : `it was ended by ${signal}`;
}

/** What the launcher does when the agent process has ended. */
export function afterAgentEnd(history: CrashHistory, end: AgentEnd): LauncherVerdict {
  const { code, signal, wasReady, wasAsked } = end;
  if (wasAsked) return { type: 'leave', code: code ?? 128 + (signalNumbers[signal ?? ''] ?? 0) };
  if (code === exitCodes.ok) return { type: 'leave', code };
  // What only its user can mend will not mend itself. After it was ready, 1 is what Node says of an error nobody caught.
  if (code === exitCodes.userError && !wasReady) return { type: 'leave', code };
  const judged = afterCrash(history, { at: end.at, booting: !wasReady, chance: end.chance }, restartRule);
  const afterMs = judged.verdict.type === 'restart' ? judged.verdict.afterMs : restartRule.backOff.maxMs;
  return { type: 'restart', afterMs, history: judged.history };
}
