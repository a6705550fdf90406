import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Violation } from './checkers.ts';
import { intensities, makePlan, type Intensity } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { simulate, type SimulationResult } from './simulate.ts';
import { safeguards, type Safeguard } from './switches.ts';
import { hashText } from './trace.ts';

const usage = `Lives through simulated hours of a node and looks after every step whether all invariants hold.

  npm run -s simulate -- [--seed N | --seeds A..B] [--pods 50] [--hours 1] [--faults PLAN] [--json]

  --faults PLAN    ${Object.keys(intensities).join(', ')}; or a file with a plan as a failing run prints it
  --trace N        print the last N happenings of each run
  --without WHAT   take a safeguard away (${safeguards.join(', ')}): a checker must miss it
  --no-shrink      leave a failing plan as it is
  --json           the last line is JSON`;

interface Wishes {
  readonly plans: readonly Plan[];
  readonly without: Safeguard | undefined;
  readonly trace: number;
  readonly shrink: boolean;
  readonly json: boolean;
}

/** What was asked for; a text for people when it cannot be understood. */
function wishes(args: readonly string[]): Wishes | string {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      pods: { type: 'string', default: '50' },
      hours: { type: 'string', default: '1' },
      faults: { type: 'string', default: 'usual' },
      without: { type: 'string' },
      trace: { type: 'string', default: '0' },
      'no-shrink': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
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
  const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const intensity = (Object.keys(intensities) as Intensity[]).find((each) => each === values.faults);
  const plans =
    intensity === undefined
      ? [planFromFile(values.faults)]
      : seeds.map((seed) => makePlan({ seed, ...numbers, intensity }));
  return { plans, without, trace: numbers.trace, shrink: !values['no-shrink'], json: values.json };
}

/** As a failing run has printed it. */
const planFromFile = (path: string): Plan => JSON.parse(readFileSync(path, 'utf8')) as Plan;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function run({ plans, without, trace, shrink: shrinks, json }: Wishes): Promise<readonly Violation[]> {
  const options = { keepTrace: trace, ...(without === undefined ? {} : { without }) };
  const results: SimulationResult[] = [];
  for (const plan of plans) {
    const result = await simulate(plan, options);
    results.push(result);
    for (const line of result.trace) print(line);
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
