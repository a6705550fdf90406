import type { Clock, MonotonicMs } from '../../actor/clock.ts';
import { within } from '../../actor/in-time.ts';
import type { Log } from '../../actor/log.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { notifySystemd } from './notify-systemd.ts';

/** systemd's watchdog of this service: a service that is silent for that long is killed and started again. */
export type WatchdogAsked =
  | { readonly type: 'off' }
  | { readonly type: 'on'; readonly withinMs: number }
  | { readonly type: 'unusable'; readonly problem: string };

/** A shorter time would kill an agent that is only busy. The kubelet has the same bound. */
const SHORTEST_MS = 1_000;

/** Reads what systemd asks of the process with this id (sd_watchdog_enabled). */
export function watchdogAsked(
  { WATCHDOG_USEC: time, WATCHDOG_PID: whose }: Readonly<Partial<Record<string, string>>>,
  pid: number,
): WatchdogAsked {
  if (time === undefined || time === '') return { type: 'off' };
  const problem = (why: string): WatchdogAsked => ({ type: 'unusable', problem: `WATCHDOG_USEC=${time}: ${why}` });
  if (!/^\d+$/.test(time)) return problem('expected microseconds (WatchdogSec of the unit)');
  if (whose !== undefined && whose !== '' && whose !== String(pid)) return { type: 'off' };
  const withinMs = Number(time) / 1_000;
  if (withinMs > SHORTEST_MS) return { type: 'on', withinMs };
  return problem('expected more than a second (WatchdogSec of the unit)');
}

export interface WatchdogDeps {
  readonly withinMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** Returns why the agent is not healthy; `undefined` when it is. */
  readonly healthProblem: () => Promise<string | undefined>;
  readonly notify: () => void;
}

/**
 * Notifies the watchdog twice in its time, while the agent is healthy. A check that throws, or takes until the next
 * one, counts as a failed check: the agent then stays silent, and systemd starts it again. Returns a function that ends
 * it.
 */
export function notifyWhileHealthy({ withinMs, clock, log, healthProblem, notify }: WatchdogDeps): () => void {
  const everyMs = withinMs / 2;
  let isSilent = false;
  const check = async (): Promise<string | undefined> => {
    try {
      const problem = await within(clock, everyMs, healthProblem());
      return problem === 'time-up' ? `no answer within ${everyMs / 1_000} s` : problem;
    } catch (error) {
      return messageOf(error);
    }
  };
  const beat = async (): Promise<void> => {
    const problem = await check();
    if (problem === undefined) {
      if (isSilent) log.info({}, 'agent is healthy again; notifying the watchdog of systemd');
      notify();
    } else {
      const follows = 'not notifying the watchdog of systemd, which restarts the agent when this lasts';
      log.error({ problem }, `agent is not healthy; ${follows}`);
    }
    isSilent = problem !== undefined;
  };
  void beat();
  return every(clock, everyMs, () => void beat());
}

const AGAIN_AFTER_MS = 1_000;

/** Returns a function that notifies the watchdog, once more a second later when the notice was not sent. */
export function watchdogNotifier(
  clock: Pick<Clock, 'after'>,
  send: () => Promise<boolean> = () => notifySystemd('WATCHDOG=1'),
): () => void {
  const sendTwice = async (): Promise<void> => {
    if (!(await send())) clock.after(AGAIN_AFTER_MS, () => void send());
  };
  return () => void sendTwice();
}

/** Calls `fire` at that interval until the returned function is called. */
export function every(clock: Pick<Clock, 'after'>, intervalMs: number, fire: () => void): () => void {
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.after(intervalMs, () => {
      arm();
      fire();
    });
  };
  arm();
  return () => cancel();
}

/** The state of the agent process, as its launcher sees it. */
export type AgentPhase =
  /** The agent has ended and starts again soon. */
  | { readonly type: 'restarting' }
  | { readonly type: 'starting'; readonly since: MonotonicMs }
  /** The agent checks its own health. */
  | { readonly type: 'ready' };

/** An agent that takes longer to start is left to the watchdog. */
const STARTED_WITHIN_MS = 120_000;

/** `true` while the launcher notifies the watchdog by itself: no agent is there yet to report its health. */
export const launcherNotifies = (phase: AgentPhase, now: MonotonicMs): boolean =>
  phase.type === 'restarting' || (phase.type === 'starting' && now - phase.since < STARTED_WITHIN_MS);
