import { addressOf } from '../../src/actor/messages/message.ts';
import { describe, expect, it } from 'vitest';
import type { ActorContext } from '../../src/actor/actor.ts';
import { defaultRestartRule } from '../../src/actor/supervision/child.ts';
import { child, quiet, startAll, testHost, verdicts, type TestActor } from './test-host.ts';

const boom = (): never => {
  throw new Error('boom');
};

/** An actor that follows its commands; each incarnation records its number with each message. */
function fragile() {
  const diary: string[] = [];
  const contexts: ActorContext[] = [];
  const make = (context: ActorContext): TestActor => {
    const life = contexts.push(context);
    return {
      tell({ type }) {
        diary.push(`${life}:${type}`);
        if (type === 'throw') boom();
        if (type === 'reject') context.supervise(Promise.reject(new Error('boom')));
        if (type === 'timer') context.clock.after(100, () => diary.push(`${life}:fired`));
        if (type === 'timer that throws') context.clock.after(100, boom);
        if (type === 'listener that throws') context.onThreadUp(boom);
      },
      ask: ({ type }) =>
        type === 'throw' ? boom() : type === 'reject' ? Promise.reject(new Error('boom')) : new Promise(() => {}),
    };
  };
  return { diary, contexts, make };
}

describe('an actor that throws while it reads', () => {
  it('restarts in place, with its waiting messages but without the message that caused the crash', async () => {
    const { make, diary } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    for (const command of ['a', 'throw', 'b']) it.tell('fragile', command);
    await quiet();
    expect(diary).toEqual(['1:a', '1:throw', '2:b']);
    expect(it.host.figures().actors['fragile']).toMatchObject({
      restarts: 1,
      handled: 3,
      lastFault: expect.stringContaining('boom'),
    });
  });

  it('is reported with supervisor, child, incarnation, reason and verdict', async () => {
    const { make, contexts } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    it.tell('fragile', 'throw');
    await quiet();
    expect(it.reports).toEqual([
      {
        supervisor: 'thread/here',
        child: 'fragile',
        incarnation: contexts[0]?.incarnation,
        reason: expect.stringContaining('Error: boom'),
        verdict: 'restart',
      },
    ]);
  });

  it('continues in a larger incarnation that knows it is not the first', async () => {
    const { make, contexts } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    it.tell('fragile', 'throw');
    await quiet();
    const [first, second] = contexts;
    expect(second?.incarnation).toBeGreaterThan(first?.incarnation ?? Infinity);
    expect([first?.restarted, second?.restarted]).toEqual([false, true]);
    expect([first?.alive(), second?.alive()]).toEqual([false, true]);
  });

  it('has still larger incarnations after a restart of its thread', async () => {
    const lives = [fragile(), fragile()];
    for (const [index, { make }] of lives.entries())
      await startAll(testHost({ fragile: make }, { life: index + 1 }), child('fragile'));
    const [earlier, later] = lives.map(({ contexts }) => contexts[0]?.incarnation ?? 0);
    expect(later).toBeGreaterThan((earlier ?? 0) + 1e6);
  });

  it('settles the questions it had read and not answered, at once', async () => {
    const { make } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    const asked = it.ask('fragile', 'open');
    it.tell('fragile', 'throw');
    await expect(asked).resolves.toBe('callee-ended');
  });

  it('keeps the questions it had not read for the next incarnation', async () => {
    let lives = 0;
    const it = testHost({
      fragile: () => {
        const life = ++lives;
        return { tell: boom, ask: () => `answered by life ${life}` };
      },
    });
    await startAll(it, child('fragile'));
    it.tell('fragile', 'throw');
    await expect(it.ask('fragile')).resolves.toBe('answered by life 2');
  });
});

describe('an actor also crashes when', () => {
  it.each([
    { says: 'work under its charge rejects', action: 'reject' },
    { says: 'one of its timers throws', action: 'timer that throws' },
    { says: 'its listener for threads throws', action: 'listener that throws' },
  ])('$says', async ({ action }) => {
    const { make, contexts } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    it.tell('fragile', action);
    await quiet();
    it.clock.advance(100);
    it.host.connect('other', { post() {}, onBatch() {}, close() {} });
    await quiet();
    expect(verdicts(it)).toEqual(['restart']);
    expect(contexts).toHaveLength(2);
  });

  it.each(['throw', 'reject'])('a question makes it %s', async (question) => {
    const { make } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    await expect(it.ask('fragile', question)).resolves.toBe('callee-ended');
    expect(verdicts(it)).toEqual(['restart']);
  });

  it('a fault is injected from outside', async () => {
    const { make } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    expect(it.host.crashActor('fragile', new Error('injected'))).toBe(true);
    expect(it.host.crashActor('nobody', new Error('injected'))).toBe(false);
    expect(verdicts(it)).toEqual(['restart']);
  });
});

describe('a dead incarnation', () => {
  it('is never woken by its timers', async () => {
    const { make, diary } = fragile();
    const it = testHost({ fragile: make });
    await startAll(it, child('fragile'));
    it.tell('fragile', 'timer');
    it.tell('fragile', 'throw');
    await quiet();
    it.clock.advance(1_000);
    expect(diary).toEqual(['1:timer', '1:throw']);
  });

  it('has no effect any more, by tell, ask, timer or listener', async () => {
    const { make, diary, contexts } = fragile();
    const it = testHost({ fragile: make, other: fragile().make });
    await startAll(it, child('fragile'), child('other'));
    it.tell('fragile', 'throw');
    await quiet();
    const [dead] = contexts;
    dead?.ref(addressOf('fragile')).tell({ type: 'from the dead' });
    dead?.self.tell({ type: 'from the dead' });
    dead?.clock.after(1, () => diary.push('from the dead'));
    dead?.onThreadUp(() => diary.push('from the dead'));
    dead?.finish();
    dead?.supervise(Promise.reject(new Error('from the dead')));
    it.host.connect('another', { post() {}, onBatch() {}, close() {} });
    await quiet();
    it.clock.advance(10);
    expect(diary).toEqual(['1:throw']);
    expect(verdicts(it)).toEqual(['restart']);
    await expect(dead?.ref(addressOf('other')).ask({ type: 'q' }, { deadlineMs: 10 })).rejects.toMatchObject({
      code: 'caller-ended',
    });
  });

  it('does not receive the answers to its questions', async () => {
    const answer = Promise.withResolvers<string>();
    const heard: unknown[] = [];
    const it = testHost({
      asker: (context) => ({
        tell({ type }) {
          if (type === 'throw') boom();
          context
            .ref(addressOf('slow'))
            .ask({ type: 'q' }, { deadlineMs: 1_000 })
            .then(
              (value) => heard.push(value),
              (fault: unknown) => heard.push(fault),
            );
        },
      }),
      slow: () => ({ ask: () => answer.promise }),
    });
    await startAll(it, child('asker'), child('slow'));
    it.tell('asker', 'ask');
    it.tell('asker', 'throw');
    await quiet();
    answer.resolve('too late');
    await quiet();
    expect(heard).toEqual([expect.objectContaining({ code: 'caller-ended' })]);
  });
});

describe('an actor that dies while booting', () => {
  it.each([
    { says: 'its factory throws', make: (): TestActor => boom() },
    { says: 'its start throws', make: (): TestActor => ({ start: boom }) },
    { says: 'its start rejects', make: (): TestActor => ({ start: () => Promise.reject(new Error('boom')) }) },
  ])('is not tried again at once when $says', async ({ make }) => {
    let lives = 0;
    const it = testHost({
      stillborn: () => {
        lives++;
        return make();
      },
    });
    await startAll(it, child('stillborn'));
    await quiet();
    expect(lives).toBe(1);
    it.clock.advance(49);
    await quiet();
    expect(lives).toBe(1);
    it.clock.advance(1);
    await quiet();
    expect(lives).toBe(2);
  });

  it('reads waiting messages once it has started', async () => {
    let lives = 0;
    const read: string[] = [];
    const it = testHost({
      slow: () => ({ start: () => (++lives < 3 ? boom() : undefined), tell: ({ type }) => void read.push(type) }),
    });
    await startAll(it, child('slow'));
    it.tell('slow', 'waited');
    for (let ms = 0; ms < 300; ms += 50) {
      it.clock.advance(50);
      await quiet();
    }
    expect(read).toEqual(['waited']);
  });
});

describe('an actor whose budget is spent', () => {
  const mortal = (): TestActor => ({ tell: boom });
  const rule = { budget: { atMost: 2, withinMs: 60_000 }, backOff: { initialMs: 10, maxMs: 40 } };

  it('crashes its thread, with the rule `escalate`', async () => {
    const it = testHost({ mortal });
    await startAll(it, child('mortal', { restart: { ...rule, whenSpent: 'escalate' } }));
    for (let crash = 0; crash < 5; crash++) {
      it.tell('mortal', 'die');
      await quiet();
      it.clock.advance(100);
      await quiet();
    }
    expect(verdicts(it)).toEqual(['restart', 'restart', 'escalate']);
    expect(it.escalated).toEqual(['mortal']);
  });

  it('is retried at the longest delay for ever, with that rule', async () => {
    let lives = 0;
    const it = testHost({
      mortal: () => {
        lives++;
        return mortal();
      },
    });
    await startAll(it, child('mortal', { restart: { ...rule, whenSpent: 'keep-trying' } }));
    const livesIn = async (ms: number): Promise<number> => {
      it.clock.advance(ms);
      await quiet();
      return lives;
    };
    const bornAfter39Ms: number[] = [];
    const bornAfter40Ms: number[] = [];
    for (let crash = 0; crash < 20; crash++) {
      it.tell('mortal', 'die');
      await quiet();
      bornAfter39Ms.push(await livesIn(39));
      bornAfter40Ms.push(await livesIn(1));
    }
    expect(bornAfter39Ms.slice(3)).toEqual(bornAfter40Ms.slice(2, -1));
    expect(bornAfter40Ms).toEqual(Array.from({ length: 20 }, (_, crash) => crash + 2));
    expect(it.escalated).toEqual([]);
  });

  it('does not affect its siblings', async () => {
    const sibling = fragile();
    const it = testHost({ mortal, sibling: sibling.make });
    const restart = { ...defaultRestartRule, whenSpent: 'keep-trying' } as const;
    await startAll(it, child('mortal', { restart }), child('sibling'));
    for (let crash = 0; crash < 10; crash++) it.tell('mortal', 'die');
    it.tell('sibling', 'a');
    await quiet();
    expect(sibling.diary).toEqual(['1:a']);
  });
});
