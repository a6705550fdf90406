/**
 * Kills a process that sets up volumes at seeded points of set-up, update and removal, and checks that no trace is visible:
 *
 *     node test/volume-kills/main.ts [--runs 200] [--seed N] [--json]
 *
 * Needs root for its mounts. Runs in a private mount namespace, so its mounts are invisible to other processes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mountsBelow } from '../volumes/temporary-root.ts';
import { killedRuns } from './killed-runs.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    here: { type: 'boolean', default: false },
  },
});

if (!values.here) {
  const again = [import.meta.filename, ...process.argv.slice(2), '--here'];
  const inside = ['--mount', '--propagation', 'private', process.execPath, ...again];
  process.exit(spawnSync('unshare', inside, { stdio: 'inherit' }).status ?? 1);
}

const seed = Number(values.seed ?? process.hrtime.bigint() % 1_000_000n);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
say(`seed ${seed}`);
const rootDir = mkdtempSync(join(tmpdir(), 'hivelet-kills-'));
try {
  const figures = await killedRuns(rootDir, { runs: Number(values.runs), seed, say });
  const { problems, ...rest } = figures;
  process.stdout.write(`${values.json ? JSON.stringify({ seed, ...figures }) : JSON.stringify(rest, undefined, 2)}\n`);
  for (const problem of problems) say(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  // The folder stays for inspection if a mount is left, since a removal would delete the mounted data.
  if (mountsBelow(rootDir).length === 0) rmSync(rootDir, { recursive: true, force: true });
}
