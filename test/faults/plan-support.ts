import type { Clock } from '../../src/actor/clock.ts';
import { FaultEngine, type FaultOrder } from '../../src/faults/fault-engine.ts';
import { defaultBlastRadius, type BlastRadius, type FaultRule } from '../../src/faults/fault-plan.ts';
import { countsMemory } from '../../src/faults/fault-counts.ts';

export interface PlanParts {
  readonly seed?: number;
  readonly radius?: Partial<BlastRadius>;
  readonly id?: number;
  readonly appliedAt?: number;
}

/** A plan of these rules, in the form sent to threads. */
export function orderOf(
  rules: readonly (Omit<FaultRule, 'when'> & Partial<FaultRule>)[],
  { seed = 1, radius = {}, id = 1, appliedAt = 0 }: PlanParts = {},
): FaultOrder {
  const plan = {
    seed,
    blastRadius: { ...defaultBlastRadius, ...radius },
    rules: rules.map((rule) => ({ when: {}, ...rule })),
  };
  return { id, plan, appliedAt, counts: countsMemory(plan), threads: ['cri', 'pleg', 'pods-0', 'pods-1'] };
}

export const engineOn = (thread: string, clock: Pick<Clock, 'monotonic'>, ...orders: FaultOrder[]): FaultEngine =>
  new FaultEngine(orders, { thread, clock });
