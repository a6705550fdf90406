import { describeError } from '../../src/actor/fault.ts';
import { seededRandom } from '../../src/actor/random.ts';
import type { Violation } from './checks/checkers.ts';
import { isFault, type Plan, type PlanStep } from './plan.ts';
import { play } from './play.ts';
import { SimulatedNode } from './node/simulated-node.ts';
import { switches, type Safeguard } from './node/switches.ts';
import { Trace } from './node/trace.ts';
import { VirtualTime } from './node/virtual-time.ts';

export interface SimulationResult {
  readonly seed: number;
  readonly simulatedHours: number;
  readonly steps: number;
  readonly faults: number;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  /** The latest trace entries, if they were kept. */
  readonly trace: readonly string[];
}

export interface SimulateOptions {
  /** A safeguard to remove: a checker must detect the loss. */
  readonly without?: Safeguard;
  /** The number of latest trace entries that are kept. */
  readonly keepTrace?: number;
}

/** The number of events between two turns of the event loop. Promises still settle between any two events. */
const PER_LOOP = 256;

/** Plays a plan. Ends at the first violation, since later ones may be its consequences. */
export async function simulate(plan: Plan, options: SimulateOptions = {}): Promise<SimulationResult> {
  const trace = new Trace(options.keepTrace ?? 0);
  const time = new VirtualTime(seededRandom(plan.seed * 2 + 1), trace);
  const violations: Violation[] = [];
  const complain = (invariant: string, detail: string): void => {
    violations.push({ seed: plan.seed, step: time.steps, invariant, detail });
    trace.add(time.now, 'VIOLATION', `${invariant}: ${detail}`);
  };
  const node = new SimulatedNode(time, {
    seed: plan.seed,
    profile: plan.profile,
    switches: switches(options.without),
    complain,
  });
  node.startAgent();
  for (const { at, event } of plan.steps) {
    time.at(at, node.world, { label: JSON.stringify(event), run: () => play(node, event, complain) });
  }
  // On a real thread an unhandled rejection ends the thread: no actor may cause one.
  const unhandled = (reason: unknown): void => complain('no-defects', `unhandled rejection: ${describeError(reason)}`);
  process.on('unhandledRejection', unhandled);
  try {
    await runUntil(time, plan.endsAt, () => violations.length > 0);
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return {
    seed: plan.seed,
    simulatedHours: time.now / 3_600_000,
    steps: time.steps,
    faults: node.acts + plan.steps.filter((step) => isAct(step) && step.at <= time.now).length,
    violations,
    traceHash: trace.hash,
    trace: trace.latest,
  };
}

/** Counts the actions of a fault plan. */
const isAct = (step: PlanStep): boolean => isFault(step) && step.event.do !== 'apply-fault-plan';

/** Each event is its own turn of the event loop: its promises settle before the next event. */
export function runUntil(time: VirtualTime, endsAt: number, isOver: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false;
    const turn = (): void => {
      if (over) return;
      try {
        if (time.isHeld || (!isOver() && time.step(endsAt))) return;
      } catch (error) {
        over = true;
        return reject(error instanceof Error ? error : new Error(String(error)));
      }
      over = true;
      resolve();
    };
    const loop = (): void => {
      if (over) return;
      for (let count = 0; count < PER_LOOP; count++) setImmediate(turn);
      setImmediate(loop);
    };
    loop();
  });
}
