import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** The awaited event, for the message when it never comes; a function can add what came in its place. */
  readonly what: string | (() => string);
  readonly withinMs: number;
  readonly everyMs?: number;
}

/**
 * Asks repeatedly until the answer is neither `undefined` nor `false`, and returns it. For events outside this
 * process without a notification (a socket file, a process that ends); await anything else. Rejects after
 * `withinMs`. An error of `ask` ends the wait.
 */
export async function waitUntil<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { what, withinMs, everyMs = 20 }: WaitOptions,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() - start > withinMs) {
      throw new Error(`${typeof what === 'string' ? what : what()}: still not so after ${withinMs} ms`);
    }
    await delay(everyMs);
  }
}
