/**
 * The smallest value that at least `percent` of all values do not exceed (nearest rank, so it is one that was measured).
 * `NaN` when there are none.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
