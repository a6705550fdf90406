import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/actor/clock.ts';
import type { FieldViolation } from './fuzz-loop.ts';
import { withTimeBound } from './oracle.ts';
import type { KeptCase } from './kept-case.ts';
import { targetNames, targetNamed } from './targets.ts';
import { fuzzWatched, type WatchedReport } from './watched-thread.ts';

const USAGE = `npm run -s fuzz -- [--target all|NAME,NAME] [--seconds N] [--seed S] [--path P] [--jobs N] [--out DIR] [--json]
npm run -s fuzz -- --case FILE
targets: ${targetNames.join(', ')}`;

interface DesiredPods {
  readonly targets: readonly string[];
  readonly seconds: number;
  readonly seed: number;
  readonly path: string | undefined;
  readonly jobs: number;
  readonly out: string | undefined;
  readonly json: boolean;
  /** A kept case to run again, instead of new cases. */
  readonly kept: string | undefined;
}

function wishes(args: readonly string[]): DesiredPods | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        target: { type: 'string', default: 'all' },
        seconds: { type: 'string', default: '20' },
        seed: { type: 'string', default: '1' },
        path: { type: 'string' },
        jobs: { type: 'string', default: '1' },
        out: { type: 'string' },
        case: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const targets = values.target === 'all' ? targetNames : values.target.split(',');
    const unknown = targets.filter((name) => !targetNames.includes(name));
    const [seconds, seed, jobs] = [values.seconds, values.seed, values.jobs].map(Number);
    if (unknown.length > 0) return `there is no target ${unknown.join(', ')}\n${USAGE}`;
    if (seconds === undefined || !(seconds > 0)) return `--seconds must be a number above 0\n${USAGE}`;
    if (seed === undefined || !Number.isSafeInteger(seed)) return `--seed must be a whole number\n${USAGE}`;
    if (jobs === undefined || !(jobs >= 1)) return `--jobs must be 1 or more\n${USAGE}`;
    return { targets, seconds, seed, jobs, path: values.path, out: values.out, json: values.json, kept: values.case };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${USAGE}`;
  }
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function fuzz({ targets, seconds, seed, path, jobs, out, json }: DesiredPods): Promise<boolean> {
  // Files that a case writes under a relative path stay below this run's own folder.
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-fuzz-'));
  const cases = resolve(out ?? join(folder, 'cases'));
  const work = join(folder, 'work');
  mkdirSync(work);
  process.chdir(work);
  const waiting = [...targets];
  const reports: WatchedReport[] = [];
  const worker = async (): Promise<void> => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      const report = await fuzzWatched({ target, seed, seconds, path }, systemClock);
      reports.push(report);
      if (!json) printReport(report, { seed, cases });
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  const findings = reports.flatMap((report) => report.findings);
  for (const finding of findings) keep(finding, cases);
  if (json) print(JSON.stringify({ seed, seconds, reports }));
  else if (findings.length > 0) print(`shrunk cases: ${cases}`);
  return findings.length === 0;
}

function printReport(
  { target, cases, outcomes, slowestMs, slowest, peakMiB, findings }: WatchedReport,
  { seed }: { readonly seed: number; readonly cases: string },
): void {
  print(
    `${target}: seed ${seed}, ${cases} cases, ${outcomes} outcomes, slowest ${slowestMs} ms (${slowest}), peak ${peakMiB} MiB, ${findings.length} findings`,
  );
  for (const { problem, found } of findings) {
    print(`  ${problem.kind}: ${problem.where}`);
    print(`    case ${found.number}: --target ${target} --seed ${found.seed} --path '${found.path}'`);
    print(`    ${problem.detail.split('\n').slice(0, 4).join('\n    ').slice(0, 500)}`);
  }
}

function keep({ target, problem, case: given }: FieldViolation, folder: string): void {
  const name = `${problem.kind}-${problem.where}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  const kept: KeptCase = { target, shows: `${problem.kind}: ${problem.where}`, case: given };
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(join(folder, target, `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
}

async function runKept(file: string): Promise<boolean> {
  // Only this program writes these files.
  const kept = JSON.parse(readFileSync(file, 'utf8')) as KeptCase;
  const target = targetNamed(kept.target);
  const bench = await target.open();
  const verdict = withTimeBound(await bench.run(kept.case), target.allowedMs);
  await bench.close();
  print(JSON.stringify(verdict, undefined, 2));
  return verdict.problems.length === 0;
}

const asked = wishes(process.argv.slice(2));
if (typeof asked === 'string') {
  print(asked);
  process.exitCode = 2;
} else {
  const isSound = asked.kept === undefined ? await fuzz(asked) : await runKept(asked.kept);
  process.exitCode = isSound ? 0 : 1;
}
