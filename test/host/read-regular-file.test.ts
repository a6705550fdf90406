import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import {
  readRegularFile,
  readRegularFileSync,
  readText,
  readTextOrPipe,
  readTextSync,
} from '../../src/host/read-regular-file.ts';

let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-read-'));
});
afterEach(async () => {
  await new Promise<unknown>((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);

/** Both ways of reading must agree. */
async function problemOf(path: string, options: Parameters<typeof readText>[1] = {}): Promise<string> {
  const later = await readRegularFile(path, options).then(
    () => 'it was read',
    (error: Error) => error.message,
  );
  let atOnce = 'it was read';
  try {
    readRegularFileSync(path, options);
  } catch (error) {
    if (error instanceof Error) atOnce = error.message;
  }
  expect(atOnce).toBe(later);
  return later;
}

describe('reading a regular file', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 300_000])('returns its %i bytes', async (size) => {
    const bytes = Buffer.alloc(size, 'abc');
    writeFileSync(at('file'), bytes);
    expect(readRegularFileSync(at('file')).equals(bytes)).toBe(true);
    expect((await readRegularFile(at('file'))).equals(bytes)).toBe(true);
  });

  it('follows links, as in ConfigMap volumes, unless forbidden', async () => {
    writeFileSync(at('file'), 'text');
    symlinkSync('file', at('link'));
    expect(readTextSync(at('link'))).toBe('text');
    expect(await problemOf(at('link'), { links: 'refuse' })).toBe(`${at('link')} is a link, not a regular file`);
  });

  it('reads a file of unknown size to its end', async () => {
    expect(readTextSync('/proc/self/status')).toMatch(/^Name:.*VmRSS:/s);
    expect(await readText('/proc/self/status')).toMatch(/^Name:.*VmRSS:/s);
  });
});

describe('reading a file that the command line names', () => {
  it('waits for the writer of a named pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const text = readTextOrPipe(at('pipe'), systemClock);
    execFile('sh', ['-c', 'exec >"$1"; echo one; sleep 0.1; echo two', 'sh', at('pipe')]);
    expect(await text).toBe('one\ntwo\n');
  });

  it('gives up on a pipe without a writer', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    let now = 0;
    const clock = {
      monotonic: () => now,
      after: (delayMs: number, fire: () => void) => {
        now += delayMs;
        setImmediate(fire);
        return () => {};
      },
    };
    await expect(readTextOrPipe(at('pipe'), clock)).rejects.toThrow('the writer of this pipe took more than 10 s');
  });

  it('reads no device', async () => {
    await expect(readTextOrPipe('/dev/zero', systemClock)).rejects.toThrow('/dev/zero is a device');
  });
});

describe('files that are not read', () => {
  it('a named pipe without a writer', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(await problemOf(at('pipe'))).toBe(`${at('pipe')} is a named pipe, not a regular file`);
  });

  it('a device without end, behind a link', async () => {
    symlinkSync('/dev/zero', at('zero'));
    expect(await problemOf(at('zero'))).toBe(`${at('zero')} is a device, not a regular file`);
  });

  it('a socket', async () => {
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(at('socket'), resolve));
    expect(await problemOf(at('socket'))).toBe(`${at('socket')} is a socket, not a regular file`);
  });

  it('a folder', async () => {
    mkdirSync(at('sub'));
    expect(await problemOf(at('sub'))).toBe(`${at('sub')} is a folder, not a regular file`);
  });

  it('a file above the size limit, of any size', async () => {
    writeFileSync(at('sparse'), '');
    truncateSync(at('sparse'), 1024 ** 4);
    expect(await problemOf(at('sparse'))).toBe(`${at('sparse')} is larger than the limit of 10485760 bytes`);
    writeFileSync(at('five'), 'five!');
    expect(await problemOf(at('five'), { maxBytes: 4 })).toContain('larger than the limit of 4 bytes');
    expect(await problemOf(at('five'), { maxBytes: 5 })).toBe('it was read');
  });

  it.each([
    { what: 'a link to nothing', target: 'nowhere', says: 'ENOENT' },
    { what: 'a link to itself', target: 'link', says: 'ELOOP' },
  ])('$what', async ({ target, says }) => {
    symlinkSync(target, at('link'));
    expect(await problemOf(at('link'))).toContain(says);
  });
});
