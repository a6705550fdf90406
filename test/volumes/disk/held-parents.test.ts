import { mkdirSync, readdirSync, readlinkSync, renameSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeldParents } from '../../../src/volumes/disk/held-parents.ts';
import { temporaryRoot } from '../temporary-root.ts';

describe('held parent directories of volumes', () => {
  let root: ReturnType<typeof temporaryRoot>;
  let parents: HeldParents;
  const openBelow = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root.dir);
      } catch {
        return false;
      }
    }).length;
  const make = (names: readonly string[], name: string): void =>
    parents.within(root.dir, names, (directory) => directory.ensureChild(name, 0o777).close());

  beforeEach(() => {
    root = temporaryRoot();
    parents = new HeldParents(0o750);
  });
  afterEach(() => {
    parents.close();
    root.discard();
  });

  it('are opened and closed once for all their users, without leaks', () => {
    make(['pods', 'a', 'volumes'], 'one');
    make(['pods', 'b', 'volumes'], 'two');
    expect(openBelow()).toBe(6);
    make(['pods', 'a', 'volumes'], 'three');
    expect(openBelow()).toBe(6);
    parents.close();
    expect(openBelow()).toBe(0);
    make(['pods', 'a', 'volumes'], 'four');
    expect(openBelow()).toBe(0);
    expect(readdirSync(join(root.dir, 'pods/a/volumes')).toSorted()).toEqual(['four', 'one', 'three']);
    expect(readdirSync(join(root.dir, 'pods/b/volumes'))).toEqual(['two']);
    expect(statSync(join(root.dir, 'pods/b')).mode & 0o777).toBe(0o750);
  });

  it('never lead through a link, or out of their directory', () => {
    mkdirSync(join(root.dir, 'elsewhere'));
    mkdirSync(join(root.dir, 'pods'));
    symlinkSync('../elsewhere', join(root.dir, 'pods/link'));
    symlinkSync('../nowhere', join(root.dir, 'pods/broken'));
    expect(() => make(['pods', 'link'], 'x')).toThrow('ENOTDIR');
    expect(() => make(['pods', 'broken'], 'x')).toThrow('ENOTDIR');
    make(['pods', 'a'], 'one');
    renameSync(join(root.dir, 'pods/a'), join(root.dir, 'pods/b'));
    symlinkSync('../elsewhere', join(root.dir, 'pods/a'));
    make(['pods', 'a'], 'two');
    expect(readdirSync(join(root.dir, 'elsewhere'))).toEqual([]);
    expect(readdirSync(join(root.dir, 'pods/b')).toSorted()).toEqual(['one', 'two']);
  });

  it('are an error when they were removed, and are created again for later users', () => {
    make(['pods', 'a', 'volumes'], 'one');
    for (const name of ['volumes/one', 'volumes', '']) rmdirSync(join(root.dir, 'pods/a', name));
    expect(() => make(['pods', 'a', 'volumes'], 'two')).toThrow('ENOENT');
    parents.close();
    parents = new HeldParents(0o750);
    make(['pods', 'a', 'volumes'], 'two');
    expect(readdirSync(join(root.dir, 'pods/a/volumes'))).toEqual(['two']);
  });
});
