import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-runtime-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command to its end, in a separate process. */
async function runtime(script: string) {
  const args = [MAIN, 'runtime', '--socket', join(folder, 'cri.sock'), '--script', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  return { code, out, err };
}

describe('hivelet runtime', () => {
  it.each([
    {
      what: 'is refused by the parser',
      written: '? '.repeat(600),
      says: 'holds more than 100000 lines and commas, or is nested',
    },
    { what: 'is no YAML', written: '{', says: 'Flow map' },
  ])('does not start with a script that $what', async ({ written, says }) => {
    const script = join(folder, 'script.yaml');
    writeFileSync(script, written);
    const { code, out, err } = await runtime(script);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`the embedded runtime cannot start: the script ${script} cannot be read: ${says}`);
  });

  it('does not start with a missing script', async () => {
    const { code, err } = await runtime(join(folder, 'missing.yaml'));
    expect([code, err]).toEqual([1, expect.stringContaining('ENOENT')]);
  });
});
