import type { RecordedCall } from './record-calls.ts';

/** Instants in milliseconds. */
export type Interval = readonly [from: number, to: number];

/**
 * Returns how long in an interval the agent could do nothing for a pod: a call for the pod was under way in a slow runtime,
 * or the agent itself was starting, which recordings do not count either. Milliseconds.
 */
export function foreignTime(
  seen: { readonly calls: readonly RecordedCall[]; readonly agentStarts?: readonly Interval[] },
  pod: string,
  [from, to]: Interval = [0, 0],
): number {
  const calls = seen.calls.filter((call) => call.pod === pod);
  const spans = [...calls.map(({ began, ended = to }): Interval => [began, ended]), ...(seen.agentStarts ?? [])];
  let covered = 0;
  let until = from;
  for (const [began, ended] of spans.toSorted(([one], [other]) => one - other)) {
    const start = Math.max(began, until);
    const end = Math.min(ended, to);
    if (end > start) covered += end - start;
    until = Math.max(until, end);
  }
  return covered;
}
