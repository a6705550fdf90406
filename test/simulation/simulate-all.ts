import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Plan } from './plan.ts';
import type { SimulateOptions, SimulationResult } from './simulate.ts';
import type { SimulationJob } from './simulation-job.ts';

export interface ManyOptions extends SimulateOptions {
  /** The number of threads that play histories at once. */
  readonly jobs: number;
}

/** Plays all plans, several at once. Results arrive in the order of the plans. */
export async function* simulateAll(
  plans: Iterable<Plan>,
  { jobs, ...options }: ManyOptions,
): AsyncGenerator<readonly [Plan, SimulationResult]> {
  const pool = new Piscina<SimulationJob, SimulationResult>({
    filename: fileURLToPath(new URL('simulation-job.ts', import.meta.url)),
    name: 'liveThrough',
    maxThreads: jobs,
    minThreads: 1,
  });
  try {
    const begun: (readonly [Plan, Promise<SimulationResult>])[] = [];
    for (const plan of plans) {
      const result = pool.run({ plan, options });
      // The result is judged in its turn.
      result.catch(() => {});
      begun.push([plan, result]);
      // Plans are large, so only as many exist at once as keep the threads busy.
      if (begun.length >= jobs * 4) yield* inTurn(begun.splice(0, 1));
    }
    yield* inTurn(begun);
  } finally {
    await pool.destroy();
  }
}

async function* inTurn(
  begun: readonly (readonly [Plan, Promise<SimulationResult>])[],
): AsyncGenerator<readonly [Plan, SimulationResult]> {
  for (const [plan, result] of begun) yield [plan, await result];
}
