import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Violation } from './checks/checkers.ts';
import { makePlan, type Intensity } from './make-plan.ts';
import { simulateAll } from './simulate-all.ts';

const PODS = 50;
/** A failure prints its fresh seed: `npm run -s simulate -- --seed N` repeats the history. */
const fresh = randomInt(2 ** 30);

describe(`simulated nodes with ${PODS} pods`, { timeout: 300_000 }, () => {
  it.each<{ readonly hours: number; readonly intensity: Intensity; readonly seeds: string; readonly from: number }>([
    // Fixed seeds repeat the same histories: the fresh seeds of each run find new problems.
    { hours: 4, intensity: 'usual', seeds: 'the same each time', from: 1 },
    { hours: 2, intensity: 'heavy', seeds: 'the same each time', from: 1_001 },
    { hours: 9, intensity: 'usual', seeds: `that nobody has chosen, from ${fresh}`, from: fresh },
    { hours: 3, intensity: 'heavy', seeds: `that nobody has chosen, from ${fresh + 100}`, from: fresh + 100 },
  ])('hold all invariants through $hours hours with $intensity faults; seeds $seeds', async (run) => {
    const { hours, intensity, from } = run;
    const plans = Array.from({ length: hours }, (_, index) =>
      makePlan({ seed: from + index, pods: PODS, hours: 1, intensity }),
    );
    const violations: Violation[] = [];
    let simulatedHours = 0;
    for await (const [, result] of simulateAll(plans, { jobs: availableParallelism() })) {
      violations.push(...result.violations);
      simulatedHours += result.simulatedHours;
    }
    expect(violations).toEqual([]);
    expect(simulatedHours).toBeCloseTo(hours);
  });
});
