import { parseArgs } from 'node:util';
import { problemsOf } from './judge-scenario.ts';
import { playScenario } from './lifecycle-node.ts';
import { scenarios } from './scenario.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { trace: { type: 'string', default: '0' }, brief: { type: 'boolean', default: false } },
});

/** Plays the scenarios whose names begin with one of the given texts; all of them without any. */
let failed = 0;
const chosen = scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.some((text) => name.startsWith(text)),
);
for (const scenario of chosen) {
  const played = await playScenario(scenario, { keepTrace: Number(values.trace) });
  const problems = problemsOf(scenario, played);
  for (const line of played.trace.latest) process.stdout.write(`${line}\n`);
  if (problems.length > 0) failed++;
  process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${scenario.name}\n`);
  if (!values.brief) for (const problem of problems) process.stdout.write(`  ${problem}\n`);
}
process.stdout.write(`${chosen.length - failed} as recorded, ${failed} not\n`);
process.exitCode = failed === 0 ? 0 : 1;
