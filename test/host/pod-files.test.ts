import {
  existsSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isEntryOf, hostPodFiles, type PodFiles } from '../../src/host/pod-files.ts';

/** A new folder for each test; no file outside is touched. */
let root: string;
let files: PodFiles;
const at = (...parts: readonly string[]): string => join(root, ...parts);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hivelet-files-'));
  files = hostPodFiles;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a pod worker's files", () => {
  it('have their mode, for any umask', () => {
    files.writeFile(at('message'), '', 0o666);
    files.makeDirectory(at('a', 'b'), 0o750);
    expect(statSync(at('message')).mode & 0o777).toBe(0o666);
    expect(statSync(at('a', 'b')).mode & 0o777).toBe(0o750);
  });

  it('that many pods read are read again once they differ', () => {
    writeFileSync(at('resolv.conf'), 'nameserver 192.0.2.1');
    const read = () => files.readShared(at('resolv.conf'));
    expect([read(), read()]).toEqual(['nameserver 192.0.2.1', 'nameserver 192.0.2.1']);
    utimesSync(at('resolv.conf'), 1, 1);
    writeFileSync(at('new'), 'nameserver 192.0.2.2');
    renameSync(at('new'), at('resolv.conf'));
    expect(read()).toBe('nameserver 192.0.2.2');
    rmSync(at('resolv.conf'));
    expect(read()).toBeUndefined();
    symlinkSync(at('resolv.conf'), at('resolv.conf'));
    expect(read()).toBeUndefined();
    rmSync(at('resolv.conf'));
    writeFileSync(at('resolv.conf'), 'nameserver 192.0.2.3');
    expect(read()).toBe('nameserver 192.0.2.3');
  });

  it('can be read from the end', () => {
    writeFileSync(at('log'), '0123456789');
    expect(files.readTail(at('log'), 4)).toBe('6789');
    expect(files.readTail(at('log'), 40)).toBe('0123456789');
    expect(files.readTail(at('none'), 4)).toBeUndefined();
  });

  it('are distinguished by kind, with links followed', async () => {
    writeFileSync(at('file'), '');
    symlinkSync(at('file'), at('link'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
    expect(['file', 'link', 'socket', 'none', ''].map((name) => files.kindOf(at(name)))).toEqual([
      'file',
      'file',
      'socket',
      undefined,
      'directory',
    ]);
    expect(files.kindOf('/dev/null')).toBe('character-device');
    await new Promise((resolve) => server.close(resolve));
  });

  it('are linked if they exist, replacing an earlier link', () => {
    writeFileSync(at('one'), '');
    files.link(at('one'), at('links', 'it'));
    files.link(at('none'), at('links', 'it'));
    expect(readlinkSync(at('links', 'it'))).toBe(at('one'));
  });

  it('are removed with everything below, or did not exist', () => {
    files.makeDirectory(at('a', 'b'), 0o755);
    files.removeEntry(root, 'a');
    files.removeEntry(root, 'a');
    expect(existsSync(at('a'))).toBe(false);
  });
});

// Asked of the rule alone, never of the disk: these are paths of the machine that the tests run on.
describe('paths that may be removed', () => {
  it.each([
    { directory: '/root-dir/pods', name: 'uid', may: true },
    { directory: '/pods', name: 'uid', may: true },
    { directory: '/root-dir/pods', name: '', may: false },
    { directory: '/root-dir/pods', name: '.', may: false },
    { directory: '/root-dir/pods', name: '..', may: false },
    { directory: '/root-dir/pods', name: 'a/b', may: false },
    { directory: '/root-dir/pods', name: '../../etc', may: false },
    { directory: '/root-dir/pods/', name: 'uid', may: false },
    { directory: '/root-dir//pods', name: 'uid', may: false },
    { directory: '/root-dir/../pods', name: 'uid', may: false },
    { directory: 'root-dir/pods', name: 'uid', may: false },
    { directory: '', name: 'uid', may: false },
    { directory: '/', name: 'uid', may: false },
  ])('$may: "$name" in "$directory"', ({ directory, name, may }) => {
    expect(isEntryOf(directory, name)).toBe(may);
  });
});
