/**
 * Returns how many single letters must be added, dropped, changed or swapped with their neighbour to turn one word into
 * the other.
 */
export function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped && row > 1 && column > 1) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? left.length;
}

/**
 * Returns the known word most likely meant: equal except for case, or a few slips away. `undefined` when none is near.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const affordable = Math.min(3, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestCost = affordable + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= bestCost) continue;
    const cost = editDistance(lower, candidate.toLowerCase());
    if (cost < bestCost) [best, bestCost] = [candidate, cost];
  }
  return best;
}

/** Returns `; did you mean "maxPods"?`, or an empty text. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
