/**
 * Lets pieces of work that block their thread be done one in each turn of the event loop: what has arrived meanwhile is read
 * between them. Without it a thousand answers that come in one turn would have a thousand such pieces done in that turn,
 * however slow the disk is. `nextTurn`: has a function run in the turn after this one. Who asks first is served first.
 */
export function ownTurns(nextTurn: (serve: () => void) => void): () => Promise<void> {
  let waiting: (() => void)[] = [];
  let served = 0;
  const serve = (): void => {
    waiting[served++]?.();
    if (served < waiting.length) return nextTurn(serve);
    waiting = [];
    served = 0;
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) nextTurn(serve);
    });
}
