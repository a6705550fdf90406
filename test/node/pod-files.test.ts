import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podFilesOn } from '../../src/node/pod-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pod-files-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const files = podFilesOn('/nowhere');

describe('a directory of a pod', () => {
  it('is made with every level that is missing, each with the mode asked for', () => {
    files.makeDirectory(join(folder, 'pods/uid/containers'), 0o750);
    for (const level of ['pods', 'pods/uid', 'pods/uid/containers']) {
      expect(statSync(join(folder, level)).mode & 0o777, level).toBe(0o750);
    }
  });

  it('may be there already', () => {
    files.makeDirectory(join(folder, 'pods'), 0o750);
    expect(() => files.makeDirectory(join(folder, 'pods'), 0o755)).not.toThrow();
  });

  it('is not made where a file is in the way', () => {
    writeFileSync(join(folder, 'pods'), '');
    expect(() => files.makeDirectory(join(folder, 'pods'), 0o750)).toThrow(/EEXIST/);
    expect(() => files.makeDirectory(join(folder, 'pods/uid'), 0o750)).toThrow(/ENOTDIR/);
  });
});

describe('removing a path', () => {
  it('takes everything below with it', () => {
    files.makeDirectory(join(folder, 'pods/uid'), 0o750);
    files.remove(join(folder, 'pods'));
    expect(existsSync(join(folder, 'pods'))).toBe(false);
  });

  it('is nothing where nothing is', () => {
    expect(() => files.remove(join(folder, 'gone'))).not.toThrow();
  });

  it.each(['', '/', 'pods/uid', '../pods', '/var/../..'])(
    'is refused for %j, which can only come of something empty',
    (path) => {
      expect(() => files.remove(path)).toThrow(/refusing/);
    },
  );
});
