import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostLogDisk, type LogDisk } from '../../../actors/container-log-manager/log-disk.ts';

const NAME = '0.log.20260101-000000';
const TEMPORARY = `${NAME}.7.tmp`;

let folder: string;
let disk: LogDisk;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-log-disk-'));
  disk = hostLogDisk(7);
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const makePipe = (path: string): void => void execFileSync('mkfifo', [path]);

/** Entries that may exist in place of a rotated log. They have no end, or no content. */
const others: readonly { readonly what: string; readonly made: (path: string) => void }[] = [
  { what: 'a named pipe', made: makePipe },
  { what: 'a device', made: (path) => symlinkSync('/dev/zero', path) },
  { what: 'a folder', made: (path) => mkdirSync(path) },
];

describe('the disk of container logs', () => {
  it.each(others)('compresses no $what, and leaves the entry in place', async ({ what, made }) => {
    made(at(NAME));
    await expect(disk.compress(folder, NAME)).rejects.toThrow(`${at(NAME)} is ${what}, not a regular file`);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  it('compresses no pipe behind a link either', async () => {
    makePipe(at('pipe'));
    symlinkSync('pipe', at(NAME));
    await expect(disk.compress(folder, NAME)).rejects.toThrow(`${at(NAME)} is a named pipe, not a regular file`);
  });

  it.each(others)('measures no $what', ({ made }) => {
    made(at('0.log'));
    expect(disk.sizeOf(at('0.log'))).toBeUndefined();
  });

  it.each([
    { what: 'a named pipe', made: makePipe },
    { what: 'a link to another file', made: (path: string) => symlinkSync('other', path) },
  ])('writes to no $what that has the name of its temporary file', async ({ made }) => {
    writeFileSync(at(NAME), 'text');
    writeFileSync(at('other'), 'of somebody else');
    made(at(TEMPORARY));
    await expect(disk.compress(folder, NAME)).rejects.toThrow('EEXIST');
    expect(readFileSync(at(NAME), 'utf8')).toBe('text');
    expect(readFileSync(at('other'), 'utf8')).toBe('of somebody else');
  });

  it('compresses a log of any size, and leaves nothing else', async () => {
    const text = 'a line of a log\n'.repeat(100_000);
    writeFileSync(at(NAME), text);
    await disk.compress(folder, NAME);
    expect(readdirSync(folder)).toEqual([`${NAME}.gz`]);
    expect(gunzipSync(readFileSync(at(`${NAME}.gz`))).toString()).toBe(text);
  });

  it('reports a missing log', async () => {
    await expect(disk.compress(folder, NAME)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
