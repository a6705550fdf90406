/**
 * Returns a function that spreads blocking pieces of work over turns of the event loop, one piece per turn. New
 * messages are read in between. Without this, a thousand answers in one turn would cause a thousand such pieces in that
 * turn, however slow the disk is. `nextTurn` runs a function in the following turn. First come, first served.
 */
export function ownTurns(nextTurn: (serve: () => void) => void): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const serve = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) nextTurn(serve);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) nextTurn(serve);
    });
}
