import type { Plan } from './plan.ts';
import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

export interface SimulationJob {
  readonly plan: Plan;
  readonly options: SimulateOptions;
}

/** The job of a pool thread: histories share no state, so each may be played on its own thread. */
export const liveThrough = ({ plan, options }: SimulationJob): Promise<SimulationResult> => simulate(plan, options);
