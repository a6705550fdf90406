import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanWishes } from './make-plan.ts';
import { isFault, type Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { safeguards, type Safeguard } from './switches.ts';

const wishes: Omit<PlanWishes, 'seed'> = { pods: 20, hours: 0.5, intensity: 'heavy' };

const live = (seed: number) => simulate(makePlan({ ...wishes, seed }));

/** Little but crashes, and no waiting until all has come to rest: that takes a second or less. */
const crashes = (seed: number): Plan => {
  const plan = makePlan({ seed, pods: 10, hours: 0.25, intensity: 'crashes' });
  return { ...plan, endsAt: 480_000 };
};

describe('a simulated node', () => {
  it.each([1, 2, 3, 4])('holds all invariants through half an hour of faults with seed %i', async (seed) => {
    const { violations, faults } = await live(seed);
    expect(violations).toEqual([]);
    expect(faults).toBeGreaterThan(50);
  });

  it('holds all invariants through a whole quiet hour', async () => {
    const { violations } = await simulate(makePlan({ seed: 7, pods: 50, hours: 1, intensity: 'none' }));
    expect(violations).toEqual([]);
  });

  const fresh = randomInt(2 ** 31);
  it(`holds all invariants with a seed that nobody has chosen: ${fresh}`, async () => {
    const { violations } = await live(fresh);
    expect(violations).toEqual([]);
  });

  it.each([11])('lives the same history again with the same seed %i', async (seed) => {
    const [once, again] = [await live(seed), await live(seed)];
    expect(again).toEqual(once);
  });

  it('lives another history with another seed', async () => {
    const [one, other] = [await simulate(crashes(21)), await simulate(crashes(22))];
    expect(one.traceHash).not.toBe(other.traceHash);
  });
});

describe('the checkers', () => {
  /** So many histories may pass before one shows what is missing. */
  const within = 24;
  /** Where to begin: one in thirty histories shows a missing reservation, so that one is near. */
  const first = 60;

  it.each(safeguards)('miss the safeguard that is taken away: %s', { timeout: 60_000 }, async (without) => {
    let found: string | undefined;
    for (let seed = first; seed < first + within && found === undefined; seed++) {
      found = (await simulate(crashes(seed), { without })).violations[0]?.invariant;
    }
    expect(found).toBeOneOf([...missedBy[without]]);
  });

  const missedBy: Readonly<Record<Safeguard, readonly string[]>> = {
    fencing: ['effects-are-fenced', 'one-running-container'],
    budget: ['restarts-within-budget'],
    'back-off': ['restarts-back-off'],
    credit: ['links-keep-to-credits'],
    'name-reserved': ['failures-are-real'],
    'newer-status': ['restart-count-grows', 'terminal-phase-stays', 'crash-changes-nothing'],
  };
});

describe('a plan that violates an invariant', () => {
  it('is made small, and violates the same one still', { timeout: 60_000 }, async () => {
    const options = { without: 'newer-status' } as const;
    const plan = crashes(3);
    const before = await simulate(plan, options);
    const small = await shrink(plan, options);
    expect(small.result.violations[0]?.invariant).toBe(before.violations[0]?.invariant);
    expect(small.plan.steps.filter(isFault).length).toBeLessThanOrEqual(3);
    const again = await simulate(small.plan, options);
    expect(again.violations).toEqual(small.result.violations);
  });
});
