import { describe, expect, it } from 'vitest';
import { ownTurns } from '../../src/actor/one-per-turn.ts';
import { settled } from '../support/manual-clock.ts';

/** Turns that the test runs. */
function byHand() {
  const turns: (() => void)[] = [];
  const done: string[] = [];
  const ownTurn = ownTurns((serve) => void turns.push(serve));
  return {
    done,
    work: (name: string): void => void ownTurn().then(() => done.push(name)),
    turn: async (): Promise<void> => {
      turns.shift()?.();
      await settled();
    },
    scheduled: (): number => turns.length,
  };
}

describe('work that blocks its thread', () => {
  it('runs one piece a turn, in the order of requests', async () => {
    const { work, turn, done } = byHand();
    for (const name of ['a', 'b', 'c']) work(name);
    await settled();
    expect(done).toEqual([]);
    for (const soFar of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await turn();
      expect(done).toEqual(soFar);
    }
  });

  it('that arrives while other work waits runs last', async () => {
    const { work, turn, done } = byHand();
    work('a');
    work('b');
    await turn();
    work('c');
    await turn();
    expect(done).toEqual(['a', 'b']);
    await turn();
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('takes no turn when there is no work', async () => {
    const { work, turn, done, scheduled } = byHand();
    work('a');
    await turn();
    expect(scheduled()).toBe(0);
    work('b');
    await turn();
    expect(done).toEqual(['a', 'b']);
  });
});
