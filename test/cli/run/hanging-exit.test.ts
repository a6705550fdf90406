import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const FIXTURE = join(import.meta.dirname, 'fixture-hanging-agent.ts');
const ends: (() => unknown)[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-exit-'));
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(folder, { recursive: true });
});

/** Starts the fixture, sends SIGTERM once it is ready, and waits for its end. */
async function stopped(where: string) {
  const child = spawn(process.execPath, [FIXTURE, folder, where], { stdio: ['ignore', 'ignore', 'pipe'] });
  ends.push(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    const { level, msg, reason } = JSON.parse(line) as Readonly<Record<string, string>>;
    lines.push([level, msg, reason].filter(Boolean).join(': '));
    if (msg === 'agent ready') child.kill('SIGTERM');
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines };
}

const KILLED = 'error: the exit would wait for the kernel; killing this process, containers keep running';

describe('an agent without a launcher that must stop', () => {
  it('exits with 0 when nothing hangs', async () => {
    const { code, signal, lines } = await stopped('nothing');
    expect([code, signal]).toEqual([0, null]);
    expect(lines.at(-1)).toBe('info: agent stopped');
  });

  it.each([
    {
      what: 'a file operation of the main thread',
      where: 'main',
      last: ['info: agent stopped', `${KILLED}: the main thread's file operation does not end (FSReqCallback)`],
    },
    {
      what: 'a thread that it stops',
      where: 'thread',
      last: [
        'error: agent did not stop in time; exiting without waiting, containers keep running',
        `${KILLED}: a thread does not end`,
      ],
    },
    {
      what: 'a thread that it has abandoned',
      where: 'given-up',
      last: ['info: agent stopped', `${KILLED}: a thread does not end`],
    },
  ])('ends although $what waits for the kernel, and logs the reason', async ({ where, last }) => {
    const { code, signal, lines } = await stopped(where);
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    expect(lines.slice(-2)).toEqual(last);
  });
});
