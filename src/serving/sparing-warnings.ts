import type { Clock, MonotonicMs } from '../actor/clock.ts';
import { excerpt } from '../kube/text/excerpt.ts';

export type Warn = (facts: object, text: string) => void;

/** Minimum time between two warnings of one text: an unauthorized client must not fill the log. */
const EVERY_MS = 1_000;

/**
 * Cuts texts from outside, and drops repeated warnings of one text. The next warning says how many were dropped.
 */
export function sparingly(warn: Warn, clock: Pick<Clock, 'monotonic'>): Warn {
  // By text, of which the code has a few.
  const written = new Map<string, { at: MonotonicMs; leftOut: number }>();
  return (facts, text) => {
    const now = clock.monotonic();
    const before = written.get(text);
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.leftOut += 1;
      return;
    }
    written.set(text, { at: now, leftOut: 0 });
    const short = Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [name, typeof value === 'string' ? excerpt(value) : value]),
    );
    const leftOut = before?.leftOut ?? 0;
    warn(leftOut === 0 ? short : { ...short, leftOut }, text);
  };
}
