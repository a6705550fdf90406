import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/actor/clock.ts';
import { fuzzTarget, type TargetReport } from './fuzz-loop.ts';
import { SharedCase } from './shared-case.ts';
import { targetNamed } from './targets.ts';

export interface ThreadOrder {
  readonly target: string;
  readonly seed: number;
  readonly ms: number;
  readonly path: string | undefined;
  readonly memory: SharedArrayBuffer;
}

/** The thread's only message, at its end. */
export type ThreadAnswer = TargetReport;

const { target, seed, ms, path, memory } = workerData as ThreadOrder;
const shared = new SharedCase(memory);
const report = await fuzzTarget(targetNamed(target), {
  seed,
  ms,
  path,
  clock: systemClock,
  began: (given) => shared.begin(given),
});
parentPort?.postMessage(report);
