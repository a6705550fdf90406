import { describe, expect, it } from 'vitest';
import type { ChildSpec, Strategy, SupervisorSpec, TreeSpec } from '../../src/actor/supervision/child.ts';
import { affectedBy } from '../../src/actor/supervision/strategy.ts';
import type { RestartRule } from '../../src/actor/supervision/restart-budget.ts';
import { child, quiet, testHost, type MakeTestActor } from './test-host.ts';

describe('the children that restart', () => {
  const children = ['a', 'b', 'c'];
  it.each([
    { strategy: 'one-for-one', crashed: 'b', affected: ['b'] },
    { strategy: 'one-for-all', crashed: 'b', affected: ['a', 'b', 'c'] },
    { strategy: 'rest-for-one', crashed: 'b', affected: ['b', 'c'] },
    { strategy: 'rest-for-one', crashed: 'a', affected: ['a', 'b', 'c'] },
    { strategy: 'rest-for-one', crashed: 'gone', affected: [] },
  ] as const)('$strategy, when $crashed has crashed: $affected', ({ strategy, crashed, affected }) => {
    expect(affectedBy(strategy, children, crashed)).toEqual(affected);
  });
});

const rule = (rest: Partial<RestartRule> = {}): RestartRule => ({
  budget: { atMost: 1, withinMs: 60_000 },
  backOff: { initialMs: 100, maxMs: 1_000 },
  whenSpent: 'escalate',
  ...rest,
});
const supervisor = (name: string, strategy: Strategy, children: readonly TreeSpec[]): SupervisorSpec => ({
  name,
  strategy,
  children,
  restart: rule(),
});

/** Actors a, b, c … that record their starts and stops, and follow their commands. */
function grove(specs: readonly ChildSpec[], behaviour: Readonly<Record<string, MakeTestActor>> = {}) {
  const diary: string[] = [];
  const make: MakeTestActor = (context, init) => ({
    start: () => void diary.push(`+${context.address}`),
    stop: () => void diary.push(`-${context.address}`),
    tell({ type }) {
      if (type === 'crash') throw new Error('boom');
      if (type === 'finish') return context.finish();
      diary.push(`${context.address}:${type}`);
    },
    ...behaviour[context.address]?.(context, init),
  });
  const kinds = Object.fromEntries(specs.map(({ address }) => [address, make]));
  const host = testHost(kinds);
  const since = (): string => diary.splice(0).join(' ');
  const crash = async (address: string): Promise<void> => {
    host.tell(address, 'crash');
    await quiet();
  };
  return { ...host, since, crash, diary };
}

const [a, b, c] = ['a', 'b', 'c'].map((address) => child(address, { restart: rule() })) as [
  ChildSpec,
  ChildSpec,
  ChildSpec,
];

async function planted(strategy: Strategy, children: readonly ChildSpec[] = [a, b, c]) {
  const it = grove(children);
  const tree = it.host.plant(strategy, children);
  await tree.start();
  return { ...it, tree };
}

describe('a supervisor', () => {
  it('starts its children in order and stops them in reverse', async () => {
    const { tree, since } = await planted('one-for-one');
    expect(since()).toBe('+a +b +c');
    await tree.stop();
    expect(since()).toBe('-c -b -a');
  });

  it.each([
    { strategy: 'one-for-one', happens: '+b' },
    { strategy: 'one-for-all', happens: '-c -a +a +b +c' },
    { strategy: 'rest-for-one', happens: '-c +b +c' },
  ] as const)('restarts the children of $strategy in order, after a stop in reverse', async (given) => {
    const { crash, since } = await planted(given.strategy);
    since();
    await crash('b');
    expect(since()).toBe(given.happens);
  });

  it('keeps messages to siblings during their restart', async () => {
    const { host, clock, crash, since } = await planted('rest-for-one', [
      child('a', { restart: rule({ budget: { atMost: 5, withinMs: 60_000 } }) }),
      b,
    ]);
    await crash('a');
    since();
    await crash('a'); // the second waits
    host.tell('b', { type: 'hello' });
    await quiet();
    expect(since()).toBe('-b');
    clock.advance(100);
    await quiet();
    expect(since()).toBe('+a +b b:hello');
  });

  it('restarts no temporary child', async () => {
    const { host, crash, since } = await planted('one-for-all', [a, child('b', { lifetime: 'temporary' })]);
    since();
    await crash('a');
    expect(since()).toBe('-b +a');
    expect(host.addresses('b')).toEqual([]);
  });

  it('restarts all waiting children when another dies during the stop', async () => {
    const stops = Promise.withResolvers<void>();
    const it = grove([a, b, c], { c: () => ({ stop: () => stops.promise }) });
    await it.host.plant('rest-for-one', [a, b, c]).start();
    await it.crash('a');
    await it.crash('b'); // while the stop of c is still under way
    it.since();
    stops.resolve();
    await quiet();
    it.clock.advance(200);
    await quiet();
    expect(it.since()).toContain('+a +b');
  });

  it('does not start a child before the crashed child that it depends on runs again', async () => {
    let deaths = 0;
    const it = grove([a, b], {
      a: (context) => ({
        start() {
          if (++deaths <= 1) throw new Error('stillborn');
          it.diary.push(`+${context.address}`);
        },
      }),
    });
    await it.host.plant('rest-for-one', [a, b]).start();
    expect(it.since()).toBe('');
    await it.clock.advanceAndSettle(200);
    await quiet();
    expect(it.since()).toBe('+a +b');
  });

  it('never restarts a child that dies while booting in a tight loop', async () => {
    let lives = 0;
    const it = grove([a, b], {
      b: () => ({
        start() {
          lives++;
          throw new Error('stillborn');
        },
      }),
    });
    await it.host.plant('one-for-all', [a, b]).start();
    await quiet();
    expect(lives).toBe(1);
  });
});

describe('a child that cannot be kept alive', () => {
  const nested = () => {
    const it = grove([a, b, c]);
    const tree = it.host.plant('one-for-one', [a, supervisor('inner', 'one-for-one', [b, c])]);
    return { ...it, tree };
  };

  it('crashes its supervisor, which stops and restarts all of its children', async () => {
    const { tree, crash, since, reports } = nested();
    await tree.start();
    await crash('b');
    since();
    await crash('b');
    expect(since()).toBe('-c +b +c');
    expect(reports.filter(({ child }) => child === 'inner')).toEqual([
      {
        supervisor: 'thread/here',
        child: 'inner',
        incarnation: 1,
        reason: expect.stringContaining('b crashed too often'),
        verdict: 'restart',
      },
    ]);
  });

  it('is reported with its supervisor', async () => {
    const { tree, crash, reports } = nested();
    await tree.start();
    await crash('c');
    expect(reports.at(-1)).toMatchObject({ supervisor: 'inner', child: 'c', verdict: 'restart' });
  });

  it('finally crashes the thread, when its supervisors cannot be kept alive either', async () => {
    const { tree, crash, clock, escalated } = nested();
    await tree.start();
    for (let crashes = 0; crashes < 8; crashes++) {
      await crash('b');
      await clock.advanceAndSettle(2_000);
      await quiet();
    }
    expect(escalated).toEqual(['inner']);
  });

  it('does not affect children of other supervisors', async () => {
    const { tree, crash, diary, clock } = nested();
    await tree.start();
    for (let crashes = 0; crashes < 3; crashes++) await crash('b');
    await clock.advanceAndSettle(2_000);
    expect(diary.filter((entry) => entry.endsWith('a'))).toEqual(['+a']);
  });
});

describe('an actor that', () => {
  it.each([
    { lifetime: 'permanent', does: 'crash', verdict: 'restart' },
    { lifetime: 'permanent', does: 'finish', verdict: 'restart' },
    { lifetime: 'transient', does: 'crash', verdict: 'restart' },
    { lifetime: 'transient', does: 'finish', verdict: 'finished' },
    { lifetime: 'temporary', does: 'crash', verdict: 'not-restarted' },
    { lifetime: 'temporary', does: 'finish', verdict: 'finished' },
  ] as const)('is $lifetime and happens to $does: $verdict', async ({ lifetime, does, verdict }) => {
    const it = grove([a]);
    await it.host.startActor(child('a', { lifetime }));
    it.tell('a', does);
    await quiet();
    expect(it.reports.map((report) => report.verdict)).toEqual([verdict]);
    expect(it.host.addresses('a')).toEqual(verdict === 'restart' ? ['a'] : []);
  });

  it('does not start in time has died while booting', async () => {
    const it = grove([a], { a: () => ({ start: () => new Promise(() => {}) }) });
    void it.host.startActor(child('a', { bootWithinMs: 1_000 }));
    await quiet();
    it.clock.advance(1_000);
    await quiet();
    expect(it.reports).toMatchObject([{ child: 'a', reason: expect.stringContaining('did not start within 1000 ms') }]);
  });
});
