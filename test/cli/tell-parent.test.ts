import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../src/cli/tell-parent.ts');
let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'hivelet-parent-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program with a channel to this process; answers with its notices and its exit code. */
async function run(program: string) {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `import { tellParent } from ${JSON.stringify(MODULE)};\n${program}`);
  const child = fork(file, { execArgv: [] });
  const notices: unknown[] = [];
  child.on('message', (notice) => notices.push(notice));
  const [code] = (await once(child, 'exit')) as [number];
  return { code, notices };
}

describe('a notice to the parent process', () => {
  it('arrives', async () => {
    expect(await run("tellParent({ type: 'agent-ready' }); process.disconnect();")).toEqual({
      code: 0,
      notices: [{ type: 'agent-ready' }],
    });
  });

  it('is dropped when the parent has closed the channel', async () => {
    expect(await run("process.disconnect(); tellParent({ type: 'agent-exiting' });")).toEqual({ code: 0, notices: [] });
  });
});
