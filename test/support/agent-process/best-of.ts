/** How often a time is measured before it counts as too long. */
const ATTEMPTS = 3;

/**
 * Returns the best of up to three measurements, in milliseconds; the first one within the limit is good enough. The
 * figure is the agent's own work, without waits on a busy machine. `measure` gets the number of the attempt, from 0
 * on.
 */
export async function bestOf(limitMs: number, measure: (attempt: number) => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best >= limitMs; attempt++) {
    best = Math.min(best, await measure(attempt));
  }
  return best;
}
