import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/actor/random.ts';
import { writeAtomically } from '../../src/volumes/disk/atomic-writer.ts';
import { OpenDirectory } from '../../src/volumes/disk/open-directory.ts';
import { temporaryRoot } from './temporary-root.ts';
import { KEYS, payloadOf } from './endless-writer.ts';

const WRITER = join(import.meta.dirname, 'endless-writer.ts');
/** The number of kills, and the seed of their moments, as far as the kernel's timing allows. */
const KILLS = 25;
const SEED = 20_260_131;

let root: ReturnType<typeof temporaryRoot>;
let dir: string;
beforeEach(() => {
  root = temporaryRoot();
  dir = join(root.dir, 'volume');
  mkdirSync(dir);
});
afterEach(() => root.discard());

/** Reads all files below one open `..data`. Returns the version number, which every key must have. */
function versionSeen(): string | undefined {
  const top = OpenDirectory.open(dir);
  const current = top.readLink('..data');
  if (current === undefined) return undefined;
  try {
    const texts = KEYS.map((key) => readFileSync(join(dir, current, key), 'utf8'));
    expect(new Set(texts).size).toBe(1);
    expect(
      readdirSync(join(dir, current), { recursive: true, withFileTypes: true }).filter((each) => each.isFile()),
    ).toHaveLength(KEYS.length);
    return texts[0];
  } finally {
    top.close();
  }
}

describe('a writer that is killed at any moment', () => {
  it('leaves one complete version, and the next writer continues from there', async () => {
    const random = seededRandom(SEED);
    const versions = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, [WRITER, dir, String(kill)], { stdio: ['ignore', 'pipe', 'inherit'] });
      // The writer reports its first write; the time before is the start of Node.
      await new Promise((resolve) => void child.stdout.once('data', resolve));
      const until = process.hrtime.bigint() + BigInt(Math.floor(random() * 8_000_000));
      while (process.hrtime.bigint() < until);
      child.kill('SIGKILL');
      await new Promise((resolve) => void child.once('exit', resolve));
      const seen = versionSeen();
      if (seen !== undefined) versions.add(seen);
    }
    expect(versions.size).toBeGreaterThan(KILLS / 2);
    OpenDirectory.within(OpenDirectory.open(dir), (directory) =>
      writeAtomically(directory, payloadOf('last'), { now: 0, chance: 0.5 }),
    );
    expect(versionSeen()).toBe('last');
    const current = readlinkSync(join(dir, '..data'));
    expect(readdirSync(dir).toSorted()).toEqual(
      [...new Set(['..data', current, ...KEYS.map((key) => key.split('/')[0] ?? key)])].toSorted(),
    );
  }, 60_000);
});
