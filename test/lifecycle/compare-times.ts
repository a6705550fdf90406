import type { Span } from './scenario.ts';

/** Seconds that a recording of `[a, b]` leaves room for: kubelets jitter their delays, and the recording machine was slow. */
const roomOf = ([least, most]: Span): Span => [least - 1 - 0.2 * least, most + 1.5 + 0.5 * most];

/** What is wrong with delays, in seconds, against the recorded ones; undefined: nothing. Each has its name, for the text. */
export function timeProblem(name: string, expected: readonly Span[], seen: readonly number[]): string | undefined {
  for (const [index, span] of expected.entries()) {
    const took = seen[index];
    if (took === undefined) return `${name}: there is no ${index + 1}. delay, ${span.join(' to ')} s was recorded`;
    const [least, most] = roomOf(span);
    if (took < least || took > most) {
      return `${name}: the ${index + 1}. delay is ${took.toFixed(1)} s, ${span.join(' to ')} s was recorded`;
    }
  }
  return undefined;
}
