import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/actor/clock.ts';
import { readScriptFile } from '../../../../src/embedded/runtime/script/read-script-file.ts';
import { HOSTILE_DOCUMENTS } from '../../../support/hostile-documents.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-script-'));
  file = join(folder, 'script.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (path = file): Promise<unknown> => readScriptFile(path, systemClock);

describe('the file of a script', () => {
  it.each([
    { what: 'YAML', text: 'logs: off\npods: {web: {}}' },
    { what: 'JSON', text: '{"logs": "off", "pods": {"web": {}}}' },
  ])('is read as $what', async ({ text }) => {
    writeFileSync(file, text);
    expect(await read()).toEqual({ logs: 'off', pods: { web: {} } });
  });

  it('may be a pipe of a shell', async () => {
    execFileSync('mkfifo', [file]);
    const reading = read();
    execFile('sh', ['-c', 'echo "logs: off" >"$1"', 'sh', file]);
    expect(await reading).toEqual({ logs: 'off' });
  });

  it.each(HOSTILE_DOCUMENTS)('is rejected with its path when it has $what', async ({ text, says }) => {
    writeFileSync(file, text);
    await expect(read()).rejects.toThrow(says);
    await expect(read()).rejects.toThrow(`the script ${file} cannot be read: `);
  });

  it('is rejected when it never ends', async () => {
    symlinkSync('/dev/zero', file);
    await expect(read()).rejects.toThrow(`${file} is a device, not a regular file`);
  });
});
