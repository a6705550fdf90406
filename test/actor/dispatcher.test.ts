import { describe, expect, it } from 'vitest';
import { Dispatcher, type Runnable } from '../../src/actor/dispatcher.ts';
import { HandDrivenTurns } from './hand-driven-turns.ts';

/** Has `waiting` messages; each visit is written down and takes `visitMs`. */
function busy(options: {
  name: string;
  waiting: number;
  visitMs?: number;
  diary: string[];
  turns: HandDrivenTurns;
}): Runnable {
  let { waiting } = options;
  return {
    run(atMost) {
      const read = Math.min(atMost, waiting);
      waiting -= read;
      options.turns.time += options.visitMs ?? 0;
      options.diary.push(`${options.name}:${read}`);
      return waiting > 0;
    },
  };
}

describe('a dispatcher', () => {
  it('visits actors in turn, so that no actor starves behind a busy one', () => {
    const turns = new HandDrivenTurns();
    const diary: string[] = [];
    const dispatcher = new Dispatcher(turns);
    dispatcher.wake(busy({ name: 'flooded', waiting: 150, diary, turns }));
    dispatcher.wake(busy({ name: 'calm', waiting: 1, diary, turns }));
    turns.runSoon();
    expect(diary).toEqual(['flooded:64', 'calm:1', 'flooded:64', 'flooded:22']);
  });

  it('yields to I/O when its time is up, and continues where it was', () => {
    const turns = new HandDrivenTurns();
    const diary: string[] = [];
    const dispatcher = new Dispatcher(turns);
    for (const name of ['a', 'b', 'c', 'd']) dispatcher.wake(busy({ name, waiting: 1, visitMs: 3, diary, turns }));
    turns.runSoon();
    expect(diary).toEqual(['a:1', 'b:1']);
    turns.runLater();
    expect(diary).toEqual(['a:1', 'b:1', 'c:1', 'd:1']);
  });

  it('puts an actor woken during the turn behind waiting actors', () => {
    const turns = new HandDrivenTurns();
    const diary: string[] = [];
    const dispatcher = new Dispatcher(turns);
    for (const name of ['a', 'b', 'c']) dispatcher.wake(busy({ name, waiting: 1, visitMs: 3, diary, turns }));
    turns.runSoon();
    dispatcher.wake(busy({ name: 'late', waiting: 1, diary, turns }));
    turns.runLater();
    expect(diary).toEqual(['a:1', 'b:1', 'c:1', 'late:1']);
  });

  it('keeps its budget over a chain of promises that wakes actors repeatedly in one turn', () => {
    const turns = new HandDrivenTurns();
    const dispatcher = new Dispatcher(turns);
    let visits = 0;
    const restless: Runnable = {
      run() {
        visits++;
        turns.time += 1;
        turns.soon(() => dispatcher.wake(restless));
        return false;
      },
    };
    dispatcher.wake(restless);
    turns.runSoon(1_000);
    expect(visits).toBe(6);
    turns.runLater();
    expect(visits).toBe(12);
  });

  it('is idle when no actor has a message', () => {
    const turns = new HandDrivenTurns();
    const dispatcher = new Dispatcher(turns);
    dispatcher.wake(busy({ name: 'a', waiting: 1, diary: [], turns }));
    turns.runSoon();
    turns.runLater();
    expect(turns.idle).toBe(true);
  });
});
