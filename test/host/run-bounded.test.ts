import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { runBounded, type BoundedProgram, type ProgramEnd } from '../../src/host/run-bounded.ts';

const shell = (script: string, more: Partial<BoundedProgram> = {}): Promise<ProgramEnd> =>
  runBounded(
    { command: '/bin/sh', args: ['-c', script], env: process.env, withinMs: 15_000, maxBytes: 10_000, ...more },
    systemClock,
  );

/** A killed process without a waiting parent is a zombie. */
const isRunning = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('an external program', () => {
  it('writes output, and reads its input', async () => {
    expect(await shell('cat; echo aside >&2', { input: 'asked' })).toEqual({
      output: 'asked',
      complaint: 'aside\n',
      code: 0,
      problem: undefined,
    });
  });

  it('may leave its input unread', async () => {
    expect(await shell('echo fine', { input: 'x'.repeat(1_000_000) })).toMatchObject({
      output: 'fine\n',
      problem: undefined,
    });
  });

  it.each([
    { what: 'fails', script: 'echo no network >&2; exit 3', problem: 'ended with exit code 3' },
    { what: 'is killed', script: 'kill -9 $$', problem: 'ended with SIGKILL' },
    { what: 'writes without end', script: 'yes', problem: 'wrote more than 10000 bytes' },
    { what: 'writes errors without end', script: 'yes >&2', problem: 'wrote more than 10000 bytes' },
  ])('that $what is reported', async ({ script, problem }) => {
    expect((await shell(script)).problem).toBe(problem);
  });

  it('that does not exist is reported', async () => {
    expect((await shell('', { command: '/nowhere/plugin' })).problem).toContain(
      'could not be started: spawn /nowhere/plugin ENOENT',
    );
  });

  it('that takes too long is killed with all its children', async () => {
    const { output, problem } = await shell('sleep 1000 & echo $!; sleep 1000', { withinMs: 1_000 });
    expect(problem).toBe('took longer than 1 s');
    await vi.waitFor(() => expect(isRunning(output.trim())).toBe(false), { timeout: 5_000 });
  });

  it('that ends while a child holds its output is not awaited beyond the timeout', async () => {
    const { output, problem } = await shell('sleep 1000 & echo $!', { withinMs: 1_000 });
    expect(problem).toBe('took longer than 1 s');
    await vi.waitFor(() => expect(isRunning(output.trim())).toBe(false), { timeout: 5_000 });
  });
});
