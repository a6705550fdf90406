/**
 * Lets pieces of work that block their thread be done one in each turn of the event loop: what has arrived meanwhile is read
 * between them. Without it a thousand answers that come in one turn would have a thousand such pieces done in that turn,
 * however slow the disk is. `nextTurn`: has a function run in the turn after this one. Who asks first is served first.
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
