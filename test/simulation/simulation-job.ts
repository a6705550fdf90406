import type { Plan } from './plan.ts';
import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

export interface SimulationJob {
  readonly plan: Plan;
  readonly options: SimulateOptions;
}

/** What a thread of the pool runs: histories have nothing in common, so each may be lived through on a thread of its own. */
export const liveThrough = ({ plan, options }: SimulationJob): Promise<SimulationResult> => simulate(plan, options);
