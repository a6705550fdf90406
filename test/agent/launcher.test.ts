import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let launcher: ChildProcess;
let lines: AsyncIterator<string>;

function start(...how: readonly string[]): void {
  const script = fileURLToPath(new URL('fixture-launcher.ts', import.meta.url));
  launcher = spawn(process.execPath, [script, folder, ...how], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (launcher.stdout === null) throw new Error('the launcher has no output');
  lines = createInterface(launcher.stdout)[Symbol.asyncIterator]();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-launcher-'));
});
afterEach(() => {
  launcher.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const nextLine = async (): Promise<string> => String((await lines.next()).value);

describe('a launcher process', () => {
  it("restarts an agent that died, forwards SIGTERM, and exits with the agent's code", async () => {
    start();
    expect(await nextLine()).toBe('dies');
    expect(await nextLine()).toMatch(/^ready \d+$/);
    launcher.kill('SIGTERM');
    expect(await nextLine()).toBe('was asked to stop');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
  });

  it('leaves no agent running when it is killed', async () => {
    start();
    await nextLine();
    await nextLine();
    const orphaned = Promise.withResolvers<string>();
    watch(folder, (_, name) => {
      if (name === 'orphaned') orphaned.resolve(name);
    });
    launcher.kill('SIGKILL');
    expect(await orphaned.promise).toBe('orphaned');
  });

  it('kills and restarts an agent that exceeds its memory limit and does not exit', async () => {
    start('outgrows', 'shown');
    expect(await nextLine()).toBe('dies');
    expect(JSON.parse(await nextLine())).toEqual({
      code: null,
      signal: 'SIGKILL',
      reason: expect.stringMatching(
        /^the agent held \d{3} MiB of memory, limit 50 MiB, and did not exit; the launcher killed it/,
      ),
      restartInMs: 0,
    });
    expect(await nextLine()).toMatch(/^ready \d+$/);
    launcher.kill('SIGTERM');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
  });

  it.each([
    { what: 'hangs in its exit', how: 'exit' },
    { what: 'kills itself because its exit would hang', how: 'kill' },
  ])('detects the end of an agent that $what, and uses its exit code', { timeout: 20_000 }, async ({ how }) => {
    start(how, 'shown');
    expect(await nextLine()).toBe('dies');
    expect(JSON.parse(await nextLine())).toEqual({
      code: 72,
      signal: null,
      reason: 'the agent exceeded its memory limit; its last log lines name the largest holders',
      restartInMs: 0,
    });
    expect(await nextLine()).toMatch(/^ready \d+$/);
    launcher.kill('SIGTERM');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
  });
});
