import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Run } from '../../src/embedded/runtime/script/outcome.ts';
import { shellFor, shellForExec } from './shell-behaviour.ts';

const folder = mkdtempSync(join(tmpdir(), 'shell-behaviour-'));
afterAll(() => rmSync(folder, { recursive: true }));
const messageFile = join(folder, 'message');

const at = <OutcomeAction>(action: OutcomeAction, text = '') => ({ action, delayMs: 10, text });

/** Runs a script as a container's first process, optionally sends TERM, and returns how the script ended. */
async function lifeOf(
  script: string,
  signal?: 'TERM',
): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn('sh', ['-c', script]);
  let out = '';
  child.stdout.on('data', (piece: Buffer) => {
    // The script writes when its traps are set.
    if (signal !== undefined) child.kill(`SIG${signal}`);
    out += piece.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, out };
}

describe('the script of a container', () => {
  const ends: readonly (readonly [
    string,
    Run,
    { readonly code: number; readonly out: string; readonly message: string },
  ])[] = [
    ['exits with its code', at(3), { code: 3, out: '', message: '' }],
    ['writes its log', { ...at(0), log: 'one\ntwo' }, { code: 0, out: 'one\ntwo\n', message: '' }],
    ['writes its last words', at(1, "it's\nover"), { code: 1, out: '', message: "it's\nover" }],
  ];
  it.each(ends)('%s', async (_, run, expected) => {
    writeFileSync(messageFile, '');
    const life = await lifeOf(shellFor({ run, stop: at(0), terminationMessagePath: messageFile }));
    expect({ ...life, message: readFileSync(messageFile, 'utf8') }).toEqual(expected);
  });

  it('ends on TERM as scripted', async () => {
    const script = shellFor({
      run: { ...at('run' as const), log: 'ready' },
      stop: at(9),
      terminationMessagePath: undefined,
    });
    expect((await lifeOf(script, 'TERM')).code).toBe(9);
  });
});

describe('the script of a command', () => {
  it('writes its output and has its exit code', async () => {
    expect(await lifeOf(shellForExec(at(5, '100% bad')))).toEqual({ code: 5, out: '100% bad' });
  });
});
