import { messageTypes } from './node/message-types.ts';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { treeOf } from '../../actors/tree.ts';
import type { Profile } from '../../src/agent/settings.ts';
import { faultWorld } from '../../src/agent/faults.ts';
import { formatFaultProblem } from '../../src/faults/fault-problem.ts';
import { checkFaultPlan } from '../../src/faults/read-fault-plan.ts';
import type { Violation } from './checks/checkers.ts';
import { intensities, makePlan, withFaultPlan, type Intensity } from './make-plan.ts';
import type { FaultPlan } from '../../src/faults/fault-plan.ts';
import type { Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { simulateAll } from './simulate-all.ts';
import type { SimulationResult } from './simulate.ts';
import { safeguards, type Safeguard } from './node/switches.ts';
import { hashText } from './node/trace.ts';

const profiles: readonly Profile[] = ['standard', 'compact'];

const usage = `Lives through simulated hours of a node and looks after every step whether all invariants hold.

  npm run -s simulate -- [--seed N | --seeds A..B] [--pods 50] [--hours 1] [--faults PLAN]
                      [--profile standard] [--json]

  --faults PLAN    ${Object.keys(intensities).join(', ')}; or a file: a fault plan of \`hivelet fault apply\`, in YAML or JSON, or
                   a history as a failing run prints it
  --profile NAME   ${profiles.join(', ')}: how the agent is spread over threads
  --jobs N         so many histories at once, by default as many as there are cores
  --trace N        print the last N happenings of each run
  --without WHAT   take a safeguard away (${safeguards.join(', ')}): a checker must miss it
  --no-shrink      leave a failing plan as it is
  --json           the last line is JSON`;

interface DesiredPods {
  readonly plans: Iterable<Plan>;
  readonly jobs: number;
  readonly without: Safeguard | undefined;
  readonly trace: number;
  readonly shrink: boolean;
  readonly json: boolean;
}

/** Returns the options, or a message for the user if they are invalid. */
function wishes(args: readonly string[]): DesiredPods | string {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      pods: { type: 'string', default: '50' },
      hours: { type: 'string', default: '1' },
      faults: { type: 'string', default: 'usual' },
      profile: { type: 'string', default: 'standard' },
      without: { type: 'string' },
      trace: { type: 'string', default: '0' },
      'no-shrink': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      jobs: { type: 'string', default: String(availableParallelism()) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return usage;
  const [from, to = from] = (values.seeds ?? values.seed).split('..').map(Number);
  const numbers = { pods: Number(values.pods), hours: Number(values.hours), trace: Number(values.trace) };
  if (from === undefined || to === undefined || ![from, to].every(Number.isSafeInteger)) {
    return `--seed takes a whole number and --seeds two, like 1..100\n\n${usage}`;
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isFinite(value) || value < 0) return `--${name} takes a number, not less than 0\n\n${usage}`;
  }
  const without = safeguards.find((each) => each === values.without);
  if (values.without !== undefined && without === undefined) return `nothing is called ${values.without}\n\n${usage}`;
  const profile = profiles.find((each) => each === values.profile);
  if (profile === undefined) return `--profile takes ${profiles.join(' or ')}\n\n${usage}`;
  const jobs = Number(values.jobs);
  if (!Number.isSafeInteger(jobs) || jobs < 1) return `--jobs takes a whole number, not less than 1\n\n${usage}`;
  const intensity = (Object.keys(intensities) as Intensity[]).find((each) => each === values.faults);
  const rest = { jobs, without, trace: numbers.trace, shrink: !values['no-shrink'], json: values.json };
  const histories = (of: Intensity) =>
    plansOf([from, to], (seed) => makePlan({ seed, ...numbers, intensity: of, profile }));
  if (intensity !== undefined) return { plans: histories(intensity), ...rest };
  const read = planFromFile(values.faults, profile);
  if (typeof read === 'string') return read;
  if ('steps' in read) return { plans: [read], ...rest };
  const plan = (seed: number) => withFaultPlan(makePlan({ seed, ...numbers, intensity: 'none', profile }), read);
  return { plans: plansOf([from, to], plan), ...rest };
}

function* plansOf([from, to]: readonly [number, number], make: (seed: number) => Plan): Generator<Plan> {
  for (let seed = from; seed <= to; seed++) yield make(seed);
}

/** Reads a history printed by a failing run, or a fault plan. Returns a message if it is invalid. */
function planFromFile(path: string, profile: Profile): Plan | FaultPlan | string {
  // Only this program writes histories, and they have members that no fault plan has.
  const read = parse(readFileSync(path, 'utf8')) as Plan | { readonly steps?: undefined } | null;
  if (read?.steps !== undefined) return read;
  const checked = checkFaultPlan(read, faultWorld(treeOf(profile, { api: 'standalone', serves: false }), messageTypes));
  return checked.ok ? checked.plan : checked.problems.map(formatFaultProblem).join('\n');
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function run({ plans, jobs, without, trace, shrink: shrinks, json }: DesiredPods): Promise<readonly Violation[]> {
  const options = { keepTrace: trace, ...(without === undefined ? {} : { without }) };
  const results: SimulationResult[] = [];
  for await (const [plan, result] of simulateAll(plans, { ...options, jobs })) {
    for (const line of result.trace) print(line);
    results.push({ ...result, trace: [] });
    const { seed, simulatedHours, steps, faults, violations, traceHash } = result;
    const verdict = violations.length === 0 ? 'all invariants hold' : `${violations[0]?.invariant} is violated`;
    print(
      `seed ${seed}: ${simulatedHours.toFixed(2)} h, ${steps} steps, ${faults} faults, trace ${traceHash}: ${verdict}`,
    );
    for (const { step, invariant, detail } of violations) print(`  step ${step} ${invariant}: ${detail}`);
    if (violations.length > 0 && shrinks) await printShrunk(plan, options);
  }
  const violations = results.flatMap((result) => result.violations);
  if (json) print(JSON.stringify(summary(results)));
  return violations;
}

async function printShrunk(plan: Plan, options: Parameters<typeof shrink>[1]): Promise<void> {
  const { plan: small, tries } = await shrink(plan, { ...options, keepTrace: 0 });
  print(
    `the smallest plan found in ${tries} tries has ${small.steps.length} steps; to live through it again, save it and`,
  );
  print('run with --faults FILE:');
  print(JSON.stringify(small));
}

const summary = (results: readonly SimulationResult[]) => ({
  seeds: results.map(({ seed }) => seed),
  simulatedHours: results.reduce((sum, { simulatedHours }) => sum + simulatedHours, 0),
  faults: results.reduce((sum, { faults }) => sum + faults, 0),
  violations: results.flatMap(({ violations }) => violations),
  traceHash: results.length === 1 ? results[0]?.traceHash : hashText(results.map(({ traceHash }) => traceHash).join()),
});

const asked = wishes(process.argv.slice(2));
if (typeof asked === 'string') {
  print(asked);
  process.exitCode = 2;
} else {
  process.exitCode = (await run(asked)).length > 0 ? 1 : 0;
}
