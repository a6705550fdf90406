/** Why the program is asked to end. `parent-gone`: the process that started it and held a channel to it has died. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent-gone';

/** Tells `listener` of each request to end; from now on the signals no longer end the process by themselves. */
export function onStopSignal(
  signals: readonly ('SIGINT' | 'SIGTERM' | 'SIGHUP')[],
  listener: (reason: StopReason) => void,
): void {
  for (const signal of signals) process.on(signal, () => listener(signal));
  if (process.channel === undefined) return;
  process.on('disconnect', () => listener('parent-gone'));
  // Listening must not be a reason to go on living.
  process.channel.unref();
}

/** Ctrl-C in a terminal reaches a child once from the terminal and once more from each parent that passes it on, such as npm. */
const ONE_PRESS_MS = 300;

/**
 * What one more request to end means: the first one asks for an orderly end, an echo of it means nothing, and a person who
 * asks again does not want to wait. `firstAt` and `now` are on one monotonic scale, in milliseconds.
 */
export function judgeInterrupt(firstAt: number | undefined, now: number): 'stop' | 'echo' | 'leave-at-once' {
  if (firstAt === undefined) return 'stop';
  return now - firstAt < ONE_PRESS_MS ? 'echo' : 'leave-at-once';
}
