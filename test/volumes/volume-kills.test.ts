import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { KillFigures } from '../volume-kills/killed-runs.ts';
import { mayMount } from './temporary-root.ts';

const COMMAND = join(import.meta.dirname, '../volume-kills/main.ts');

// As many as a test may take time for; the command does 200.
describe.runIf(mayMount)('a process killed during volume operations', () => {
  it('leaves no torn content, no stale mount, and no pod without its volumes', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, '--runs', '3', '--seed', '7', '--json']);
    const { problems, died, tooLate, reads } = JSON.parse(stdout) as KillFigures;
    expect(problems).toEqual([]);
    expect(died['set-up'] + died.update + died['take-away'] + tooLate).toBe(3);
    expect(tooLate).toBeLessThan(2);
    expect(reads).toBeGreaterThan(100);
  }, 90_000);
});
