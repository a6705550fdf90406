/**
 * Kills a process that makes volumes at seeded points of set-up, update and removal, and looks whether anybody can ever tell:
 *
 *     node test/volume-kills/main.ts [--runs 200] [--seed N] [--json]
 *
 * As root, for it mounts; in a mount namespace of its own, so that nothing it mounts is ever seen by anybody else.
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
  // What is still mounted holds somebody's data; then all of it stays to be looked at.
  if (mountsBelow(rootDir).length === 0) rmSync(rootDir, { recursive: true, force: true });
}
