import type { Span } from './scenario.ts';

/** The tolerance in seconds of a recorded `[a, b]`: kubelets jitter their delays, and the recording machine was slow. */
const roomOf = ([least, most]: Span): Span => [least - 1 - 0.2 * least, most + 1.5 + 0.5 * most];

/** Returns `true` if something came no later than recorded, with the same tolerance, or was not timed. */
export const isInTime = (recorded: Span | undefined, seen: number | undefined): boolean =>
  recorded === undefined || seen === undefined || seen <= roomOf(recorded)[1];

/** Compares named delays in seconds with the recording. Returns the problem, or `undefined`. */
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
