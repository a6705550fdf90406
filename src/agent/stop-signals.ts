import type { MonotonicMs } from '../actor/clock.ts';

/**
 * The reasons why the program must end. `parent-gone`: the process that started this one, with a channel to it, has
 * died.
 */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent-gone';

/** Calls `listener` for each request to end. From now on the signals no longer end the process by themselves. */
export function onStopSignal(
  signals: readonly ('SIGINT' | 'SIGTERM' | 'SIGHUP')[],
  listener: (reason: StopReason) => void,
): void {
  for (const signal of signals) process.on(signal, () => listener(signal));
  if (process.channel === undefined) return;
  process.on('disconnect', () => listener('parent-gone'));
  // The listener must not keep the process alive.
  process.channel.unref();
}

/**
 * Ctrl-C in a terminal reaches a child once from the terminal, and once more from each parent that passes it on, such
 * as npm.
 */
const ONE_PRESS_MS = 300;

/**
 * Returns the meaning of another request to end. The first asks for an orderly end, an echo of it is ignored, and a
 * second by a person means at once. `firstAt` and `now` are monotonic milliseconds.
 */
export function judgeInterrupt(firstAt: MonotonicMs | undefined, now: MonotonicMs): 'stop' | 'echo' | 'leave-at-once' {
  if (firstAt === undefined) return 'stop';
  return now - firstAt < ONE_PRESS_MS ? 'echo' : 'leave-at-once';
}
