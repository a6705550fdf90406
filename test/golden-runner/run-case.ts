import type { Profile } from '../../src/agent/settings.ts';
import { describeError } from '../../src/actor/fault.ts';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import { differencesFrom, type Played, problemsOf } from '../lifecycle/judge-scenario.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { playScenario } from '../lifecycle/lifecycle-node.ts';
import { readCriCase } from './cri-case.ts';
import type { FoundCase } from './find-cases.ts';
import { differencesOf, type Difference } from './judge-cri-case.ts';
import { withLateMessages } from './messages/late-messages.ts';
import { readScenario } from './lifecycle-case.ts';
import { MalformedCase } from './malformed-case.ts';
import { playCriCase } from './play-cri-case.ts';

export interface CaseOutcome {
  readonly name: string;
  readonly kind: FoundCase['kind'];
  readonly result: 'pass' | 'fail' | 'malformed';
  readonly differences: readonly Difference[];
  /** Accepted differences: this agent is deliberately better than the recorded kubelet. */
  readonly better?: readonly string[];
  /** The parts that were not compared, and the reason. */
  readonly notCompared?: string;
  readonly trace: readonly string[];
}

export interface RunOptions {
  readonly keepTrace?: number;
  readonly messages?: FaultSeam | undefined;
  readonly profile?: Profile | undefined;
}

/** Plays a case and compares it with its recording. A malformed case is an outcome too. */
export async function runCase(found: FoundCase, options: RunOptions = {}): Promise<CaseOutcome> {
  const { name, kind } = found;
  try {
    return { name, kind, ...(await (kind === 'cri' ? runCri(found, options) : runLifecycle(found, options))) };
  } catch (error) {
    // A malformed case that the checks missed must not keep the other cases from being played.
    return notPlayed(found, error);
  }
}

export function notPlayed({ name, kind }: Pick<FoundCase, 'name' | 'kind'>, error: unknown): CaseOutcome {
  const text = error instanceof MalformedCase ? error.message : `could not be played: ${describeError(error)}`;
  return { name, kind, result: 'malformed', differences: [told(text)], trace: [] };
}

/** Late messages may hide a short-lived status, or make one visible. */
function withLateness(scenario: Scenario): Scenario {
  const lists = Object.entries(scenario.expected.status).map(
    ([pod, entries]) => [pod, withLateMessages(entries)] as const,
  );
  return { ...scenario, expected: { ...scenario.expected, status: Object.fromEntries(lists) } };
}

const told = (text: string): Difference => ({ where: text, expected: undefined, seen: undefined });

type Told = Omit<CaseOutcome, 'name' | 'kind'>;

async function runCri({ path }: FoundCase, options: RunOptions): Promise<Told> {
  const golden = readCriCase(path);
  const played = await playCriCase(golden, options);
  const differences = differencesOf(golden, played);
  const leftOut = golden.expected.files !== undefined && played.files === undefined;
  return {
    result: differences.length === 0 ? 'pass' : 'fail',
    differences,
    ...(leftOut && { notCompared: 'files: this process may not mount' }),
    trace: played.trace,
  };
}

async function runLifecycle({ path }: FoundCase, options: RunOptions): Promise<Told> {
  const asRecorded = readScenario(path);
  const scenario = options.messages === undefined ? asRecorded : withLateness(asRecorded);
  const played = await playScenario(scenario, options);
  return { ...judgedLife(scenario, played), trace: played.trace.latest };
}

/** Compares a played life with its recording. */
export function judgedLife(scenario: Scenario, played: Played): Omit<Told, 'trace'> {
  const differences = problemsOf(scenario, played).map(told);
  const better = differences.length === 0 ? differencesFrom(scenario, played) : [];
  return {
    result: differences.length === 0 ? 'pass' : 'fail',
    differences,
    ...(better.length > 0 && { better }),
  };
}
