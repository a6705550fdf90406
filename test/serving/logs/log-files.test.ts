import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostLogFiles } from '../../../src/serving/logs/log-files.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-log-files-'));
  path = join(folder, '0.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log files of a node', () => {
  it.each([
    { what: 'a named pipe', made: () => execFileSync('mkfifo', [path]) },
    { what: 'a device', made: () => symlinkSync('/dev/zero', path) },
    { what: 'a folder', made: () => mkdirSync(path) },
  ])('are not opened if $what has the name of a log', async ({ what, made }) => {
    made();
    await expect(hostLogFiles.open(path)).rejects.toThrow(`${path} is ${what}, not a regular file`);
  });

  it.each([
    { what: 'a file', made: () => writeFileSync(path, 'text') },
    {
      what: 'a link to a file, as some runtimes keep their logs',
      made: () => {
        writeFileSync(join(folder, 'elsewhere'), 'text');
        symlinkSync('elsewhere', path);
      },
    },
  ])('are read: $what', async ({ made }) => {
    made();
    const file = await hostLogFiles.open(path);
    const buffer = Buffer.alloc(10);
    expect([await file?.size(), await file?.read(buffer, 1)]).toEqual([4, 3]);
    expect(buffer.subarray(0, 3).toString()).toBe('ext');
    await file?.close();
  });

  it('are missing when there are none', async () => {
    expect(await hostLogFiles.open(path)).toBeUndefined();
  });
});
