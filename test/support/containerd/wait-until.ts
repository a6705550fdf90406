import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is awaited, for the message when it never comes. */
  readonly what: string;
  readonly withinMs: number;
  readonly everyMs?: number;
}

/**
 * Asks again and again until the answer is neither `undefined` nor `false`, and returns it. For what happens outside
 * this process and announces itself to nobody (a socket file, a process that ends); anything else is better awaited.
 * Rejects after `withinMs`. Whatever `ask` throws ends the wait.
 */
export async function waitUntil<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { what, withinMs, everyMs = 20 }: WaitOptions,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() - start > withinMs) throw new Error(`${what}: still not so after ${withinMs} ms`);
    await delay(everyMs);
  }
}
