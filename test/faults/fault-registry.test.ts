import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/actor/log.ts';
import { FaultRegistry, type Applied } from '../../src/faults/fault-registry.ts';
import type { FaultOrder } from '../../src/faults/fault-engine.ts';
import { formatFaultProblem } from '../../src/faults/fault-problem.ts';
import { manualClock } from '../support/manual-clock.ts';
import { nodeWorld } from './node-world.ts';

const workers = ['pod-worker/u1', 'pod-worker/u2', 'pod-worker/u3', 'pod-worker/u4'];

/** A registry of an agent with PLEG and four pods, one of them named `default/web`. */
function registry() {
  const clock = manualClock();
  const distributed: (readonly FaultOrder[])[] = [];
  const crashed: string[] = [];
  const faults = new FaultRegistry({
    world: nodeWorld,
    clock,
    log: silentLog,
    distribute: (orders) => {
      distributed.push(orders);
      return Promise.resolve();
    },
    crashActor: (address) => {
      crashed.push(address);
      return Promise.resolve(true);
    },
    addresses: () => Promise.resolve(['pleg', ...workers]),
    resolve: (name) => Promise.resolve(name === 'pod-worker/default/web' ? 'pod-worker/u2' : undefined),
  });
  const apply = (plan: object): Promise<Applied> => faults.apply(JSON.stringify(plan));
  return { faults, apply, clock, distributed, crashed };
}

const drop = { match: { actor: 'pleg' }, action: 'drop' };
const ids = (orders: readonly FaultOrder[] | undefined): readonly number[] => orders?.map(({ id }) => id) ?? [];

describe('an applied fault plan', () => {
  it('is sent to every thread, beside the other plans', async () => {
    const { apply, distributed } = registry();
    expect(await apply({ rules: [drop] })).toEqual({ ok: true, id: 1, rules: 1, endsInMs: 600_000 });
    await apply({ rules: [drop, drop] });
    expect(distributed.map(ids)).toEqual([[1], [1, 2]]);
  });

  it('is not applied at all when it has a problem', async () => {
    const { apply, faults, distributed } = registry();
    const applied = await apply({
      rules: [drop, { ...drop, when: { rate: 1.1 } }, { match: { actor: 'plug' }, action: 'drop' }],
    });
    const problems = applied.ok ? [] : applied.problems.map(formatFaultProblem);
    expect(problems).toEqual([
      expect.stringMatching(/^rule 2, when.rate: 1.1 /),
      expect.stringMatching(/^rule 3, match.actor: "plug" /),
    ]);
    expect(distributed).toEqual([]);
    expect(faults.list()).toEqual([]);
  });

  it('may name a pod to mean its worker', async () => {
    const { apply, distributed } = registry();
    await apply({ rules: [{ match: { actor: ['pod-worker/default/web', 'pleg'] }, action: 'crash' }] });
    expect(distributed[0]?.[0]?.plan.rules[0]?.match).toEqual({ at: 'mailbox', actor: ['pod-worker/u2', 'pleg'] });
  });

  it('is rejected when it names an unknown pod', async () => {
    const { apply, distributed } = registry();
    const applied = await apply({ rules: [drop, { match: { actor: 'pod-worker/default/gone' }, action: 'crash' }] });
    expect(applied).toEqual({
      ok: false,
      problems: [
        { rule: 2, path: 'match.actor', value: '"pod-worker/default/gone"', says: 'names no pod of this node' },
      ],
    });
    expect(distributed).toEqual([]);
  });

  it('ends after its duration', async () => {
    const { apply, clock, distributed, faults } = registry();
    await apply({ blastRadius: { maxMinutes: 1 }, rules: [drop] });
    await clock.advanceAndSettle(59_999);
    expect(faults.list()).toMatchObject([{ id: 1, endsInMs: 1 }]);
    await clock.advanceAndSettle(1);
    expect(faults.list()).toEqual([]);
    expect(distributed.map(ids)).toEqual([[1], []]);
  });

  it('is removed alone, or with all others', async () => {
    const { apply, clock, distributed, faults } = registry();
    for (let plan = 0; plan < 3; plan++) await apply({ rules: [drop] });
    expect(await faults.clear(2)).toBe(1);
    expect(await faults.clear(2)).toBe(0);
    expect(await faults.clear()).toBe(2);
    expect(distributed.slice(3).map(ids)).toEqual([[1, 3], []]);
    expect(clock.armed).toBe(0);
  });
});

describe('timed crashes of actors', () => {
  const crashAt = (atMs: number, more: object = {}) => ({
    match: { actor: 'pod-worker' },
    when: { atMs, ...more },
    action: 'crash',
  });

  it('crash all living actors', async () => {
    const { apply, clock, crashed } = registry();
    await apply({ rules: [crashAt(500)] });
    await clock.advanceAndSettle(499);
    expect(crashed).toEqual([]);
    await clock.advanceAndSettle(1);
    expect(crashed.toSorted()).toEqual(workers);
  });

  it.each([
    { limit: 'the rule', plan: { rules: [crashAt(0, { atMost: 2 })] } },
    { limit: 'the blast radius', plan: { blastRadius: { maxActors: 2 }, rules: [crashAt(0)] } },
  ])('are at most as many as $limit allows, and the same for the same seed', async ({ plan }) => {
    const crashedBy = async (seed: number): Promise<readonly string[]> => {
      const { apply, clock, crashed, faults } = registry();
      await apply({ seed, ...plan });
      await clock.advanceAndSettle(0);
      expect(faults.list()).toMatchObject([{ actors: 2, rules: [{ acted: 2 }] }]);
      return crashed;
    };
    const [once, again] = [await crashedBy(7), await crashedBy(7)];
    expect(once).toHaveLength(2);
    expect(again).toEqual(once);
    const others = await Promise.all([1, 2, 3, 4, 5, 6].map(crashedBy));
    expect(new Set(others.map((addresses) => addresses.join()))).not.toHaveLength(1);
  });

  it('do not happen when the plan was removed before', async () => {
    const { apply, clock, crashed, faults } = registry();
    await apply({ rules: [crashAt(500)] });
    await faults.clear();
    await clock.advanceAndSettle(1_000);
    expect(crashed).toEqual([]);
  });
});
