import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Run, TermReaction } from '../../src/embedded-runtime/outcome.ts';
import { shellFor, shellForExec } from './shell-behaviour.ts';

const folder = mkdtempSync(join(tmpdir(), 'shell-behaviour-'));
afterAll(() => rmSync(folder, { recursive: true }));
const messageFile = join(folder, 'message');

const at = <Deed>(deed: Deed, text = '') => ({ deed, delayMs: 10, text });

/** Runs it as the first process of a container would be, sends TERM once it runs if asked to, and says how it ended. */
async function lifeOf(
  script: string,
  signal?: 'TERM',
): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn('sh', ['-c', script]);
  let out = '';
  child.stdout.on('data', (piece: Buffer) => {
    // It writes when its traps are set.
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
    { readonly code: number; readonly message?: string; readonly out?: string },
  ])[] = [
    ['exits with its code', at(3), { code: 3 }],
    ['writes its log', { ...at(0), log: 'one\ntwo' }, { code: 0, out: 'one\ntwo\n' }],
    ['writes its last words', at(1, "it's\nover"), { code: 1, message: "it's\nover" }],
  ];
  it.each(ends)('%s', async (_, run, expected) => {
    const stop: TermReaction = at(0);
    const life = await lifeOf(shellFor({ run, stop, terminationMessagePath: messageFile }));
    expect(life.code).toBe(expected.code);
    if (expected.out !== undefined) expect(life.out).toBe(expected.out);
    if (expected.message !== undefined) expect(readFileSync(messageFile, 'utf8')).toBe(expected.message);
  });

  it('ends on TERM as it was told to', async () => {
    const script = shellFor({
      run: { ...at('run' as const), log: 'ready' },
      stop: at(9),
      terminationMessagePath: undefined,
    });
    expect((await lifeOf(script, 'TERM')).code).toBe(9);
  });
});

describe('the script of a command', () => {
  it('says its words and has its exit code', async () => {
    expect(await lifeOf(shellForExec(at(5, '100% bad')))).toEqual({ code: 5, out: '100% bad' });
  });
});
