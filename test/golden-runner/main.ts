import type { Profile } from '../../src/agent/settings.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { describeError } from '../../src/actor/fault.ts';
import { findCases, type FoundCase } from './find-cases.ts';
import { everyMessage, messageFaults, type MessageFault } from './messages/message-faults.ts';
import type { CaseOutcome } from './run-case.ts';

const [DIFFERS, UNUSABLE] = [1, 2];

interface Options {
  readonly dir: string;
  readonly only?: string;
  readonly json: boolean;
  readonly all: boolean;
  readonly trace: number;
  readonly faults?: MessageFault;
  readonly seed: number;
  readonly profile: Profile;
  readonly via: 'simulation' | 'api';
  readonly kubeconfig?: string;
}

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('not a whole number.');
  return Number(text);
};

const program = new Command('npm run -s golden --')
  .description(
    'Plays recorded cases (what a kubelet asked of a runtime, and how a pod lived) on this agent: a whole node in virtual\n' +
      'time. Tells of each case whether it went as recorded, and the first difference where it did not.',
  )
  .option(
    '--dir <dir>',
    'a folder of cases, a folder of such folders, or one case',
    join(import.meta.dirname, '../golden'),
  )
  .option('--only <name>', 'the case of that name, or else those whose names begin with it')
  .option('--json', 'one JSON object a case, and one with the counts at the end', false)
  .option('--all', 'every difference of a case, not only the first', false)
  .option('--trace <n>', 'the last <n> things that happened in each case, before its outcome', wholeNumber, 0)
  .addOption(new Option('--faults <fault>', 'every message between actors comes late, or twice').choices(messageFaults))
  .option('--seed <n>', 'another seed, another plan of faults', wholeNumber, 1)
  .addOption(
    new Option('--profile <name>', 'how the agent is spread over threads')
      .choices(['standard', 'compact'])
      .default('standard'),
  )
  .addOption(
    new Option('--via <way>', 'in virtual time, or lives only in real time through an API server')
      .choices(['simulation', 'api'])
      .default('simulation'),
  )
  .option(
    '--kubeconfig <file>',
    'the API server for --via api; without it a real one if KUBEBUILDER_ASSETS names its programs, else the embedded one',
  )
  .addHelpText('after', '\nExit code: 0 all as recorded, 1 some are not, 2 bad usage or a case that cannot be read.')
  .allowExcessArguments(false)
  .exitOverride();

/** Prints a usage problem as a single line, before anything is played. Returns the exit code. */
function unusable(message: string): number {
  process.stderr.write(`golden: ${message}\n`);
  return UNUSABLE;
}

function chosenOf(cases: readonly FoundCase[], only: string | undefined): readonly FoundCase[] {
  if (only === undefined) return cases;
  const exact = cases.filter(({ name }) => name === only);
  return exact.length > 0 ? exact : cases.filter(({ name }) => name.startsWith(only));
}

/** npm runs this program in the project's folder, not in the user's current folder. */
const fromUser = (path: string): string => resolve(process.env['INIT_CWD'] ?? '.', path);

async function run(options: Options): Promise<number> {
  const dir = fromUser(options.dir);
  if (!existsSync(dir)) return unusable(`--dir ${options.dir}: there is no such folder`);
  const cases = findCases(dir);
  if (cases.length === 0) return unusable(`--dir ${options.dir}: there is no case in it`);
  const chosen = chosenOf(cases, options.only);
  if (chosen.length === 0) return unusable(`--only ${options.only}: no case in ${options.dir} has that name`);
  const counts = { pass: 0, fail: 0, malformed: 0 };
  const report = (outcome: CaseOutcome): void => {
    counts[outcome.result]++;
    process.stdout.write(options.json ? jsonLine(outcome) : textOf(outcome, options.all));
  };
  const problem = await (options.via === 'api' ? playThroughApi : playInSimulation)(chosen, options, report);
  if (problem !== undefined) return unusable(problem);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(counts)}\n`
      : `${counts.pass} as recorded, ${counts.fail} not, ${counts.malformed} could not be read\n`,
  );
  return counts.malformed > 0 ? UNUSABLE : counts.fail > 0 ? DIFFERS : 0;
}

type Report = (outcome: CaseOutcome) => void;

/** Returns the usage problem, if there is one. */
async function playInSimulation(
  cases: readonly FoundCase[],
  { faults, seed, profile, trace: keepTrace, kubeconfig }: Options,
  report: Report,
): Promise<string | undefined> {
  if (kubeconfig !== undefined) return '--kubeconfig needs --via api';
  // Loaded late: the whole node is not needed to report wrong usage.
  const { runCase } = await import('./run-case.ts');
  for (const found of cases) {
    const messages = faults === undefined ? undefined : everyMessage(faults, seed);
    report(await runCase(found, { keepTrace, messages, profile }));
  }
  return undefined;
}

/** Returns the usage problem, if there is one. */
async function playThroughApi(
  cases: readonly FoundCase[],
  { faults, trace, profile, kubeconfig }: Options,
  report: Report,
): Promise<string | undefined> {
  if (faults !== undefined || trace > 0) return '--faults and --trace need --via simulation';
  const lives = cases.filter(({ kind }) => kind === 'lifecycle');
  if (lives.length === 0) return '--via api plays lives of pods, and no chosen case is one';
  const { chooseApi, openApi } = await import('./via-api/api-of-lives.ts');
  const file = kubeconfig === undefined ? undefined : fromUser(kubeconfig);
  if (file !== undefined && !existsSync(file)) return `--kubeconfig ${kubeconfig}: there is no such file`;
  const choice = chooseApi(file, process.env);
  if (choice.kind === 'none') return `there is no ${choice.missing.join(' and no ')}`;
  const { playViaApi } = await import('./via-api/play-via-api.ts');
  const opened = await openApi(choice).catch((error: unknown) => describeError(error));
  if (typeof opened === 'string') return `--via api: ${opened.split('\n', 1)[0]}`;
  await using server = opened;
  process.stderr.write(`golden: ${lives.length} lives through ${server.name}\n`);
  await playViaApi(lives, { server, profile, report });
  return undefined;
}

const jsonLine = ({ kind, name, result, differences, better, notCompared }: CaseOutcome): string =>
  `${JSON.stringify({ kind, name, result, differences, better, notCompared })}\n`;

const WORDS = { pass: 'ok  ', fail: 'FAIL', malformed: 'BAD ' };
const MOST_CHARACTERS = 1_500;

function textOf(
  { kind, name, result, differences, better = [], notCompared, trace }: CaseOutcome,
  all: boolean,
): string {
  const lines = [...trace, `${WORDS[result]} ${kind} ${name}${better.length > 0 ? ' (better than recorded)' : ''}`];
  for (const { where, expected, seen } of all ? differences : differences.slice(0, 1)) {
    lines.push(`  ${where}`);
    if (expected === undefined && seen === undefined) continue;
    lines.push(`    expected: ${shown(expected)}`, `    seen:     ${shown(seen)}`);
  }
  if (all) for (const difference of better) lines.push(`  better: ${difference}`);
  if (notCompared !== undefined) lines.push(`  not compared: ${notCompared}`);
  return `${lines.join('\n')}\n`;
}

function shown(value: unknown): string {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

try {
  program.parse();
  process.exitCode = await run(program.opts<Options>());
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : UNUSABLE;
}
