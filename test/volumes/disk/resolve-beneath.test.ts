import { closeSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBeneath, resolveBeneath } from '../../../src/volumes/disk/resolve-beneath.ts';
import { temporaryRoot } from '../temporary-root.ts';

let root: ReturnType<typeof temporaryRoot>;
let volume: string;
let outside: string;
beforeEach(() => {
  root = temporaryRoot();
  volume = join(root.dir, 'volume');
  outside = join(root.dir, 'outside');
  mkdirSync(join(volume, 'dir'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(volume, 'dir/file'), 'inside');
  writeFileSync(join(outside, 'file'), 'secret');
});
afterEach(() => root.discard());

const read = (path: string): string | undefined => readBeneath(volume, path, 1_000);

describe('a path in a volume', () => {
  it.each([
    { what: 'plain', path: 'dir/file', link: undefined },
    { what: 'through a link', path: 'link/file', link: 'dir' },
    { what: 'through a link to a file', path: 'link', link: './dir/../dir/file' },
    { what: 'with blanks of paths', path: './dir//file', link: undefined },
  ])('is found: $what', ({ path, link }) => {
    if (link !== undefined) symlinkSync(link, join(volume, 'link'));
    expect(read(path)).toBe('inside');
  });

  it('is found through an absolute link that stays in the volume', () => {
    symlinkSync(join(volume, 'dir'), join(volume, 'link'));
    expect(read('link/file')).toBe('inside');
  });

  it.each([
    { what: 'an absolute link', link: () => outside, path: 'link/file' },
    { what: 'a link upwards', link: () => '../outside', path: 'link/file' },
    { what: 'a link to a file outside', link: () => join(outside, 'file'), path: 'link' },
    { what: 'a link to a link upwards', link: () => 'dir/../../outside/file', path: 'link' },
    { what: 'dots', link: () => 'dir', path: '../outside/file' },
    { what: 'a link to itself', link: () => 'link', path: 'link' },
    { what: 'a link to the host’s root', link: () => '/', path: 'link/etc/passwd' },
  ])('never leads out of the volume: $what', ({ link, path }) => {
    symlinkSync(link(), join(volume, 'link'));
    expect(read(path)).toBeUndefined();
    expect(() => resolveBeneath(volume, path, 'make')).toThrow(/leads out of the volume|too many levels/);
    expect(readdirSync(outside)).toEqual(['file']);
  });

  it('is created when missing, with the mode of the volume', () => {
    const found = resolveBeneath(volume, 'dir/a/b', 'make');
    expect(found.stats.isDirectory()).toBe(true);
    found.close();
    expect(statSync(join(volume, 'dir/a/b')).mode).toBe(statSync(volume).mode);
    expect(() => resolveBeneath(volume, 'dir/c', 'fail')).toThrow(/no such file/);
  });

  it('is not readable as a file if it is a directory, or too large', () => {
    expect(read('dir')).toBeUndefined();
    expect(readBeneath(volume, 'dir/file', 3)).toBeUndefined();
  });
});

/** Exchanges a directory for a link that leads outside, and back, as fast as it can. */
const ATTACK = `
  const { mkdirSync, renameSync, symlinkSync } = require('node:fs');
  const { workerData, parentPort } = require('node:worker_threads');
  const { volume, outside, stop } = workerData;
  mkdirSync(volume + '/other');
  symlinkSync(outside, volume + '/evil');
  parentPort.postMessage('begun');
  let trash = 0;
  // The code under test may create the directory while it is moved away: that copy is put aside.
  const rename = (from, to) => {
    try {
      renameSync(volume + from, volume + to);
    } catch {
      renameSync(volume + to, volume + '/trash-' + trash++);
      renameSync(volume + from, volume + to);
    }
  };
  while (Atomics.load(stop, 0) === 0) {
    rename('/race', '/away');
    try {
      rename('/evil', '/race');
    } catch {
      rename('/evil', '/race');
    }
    renameSync(volume + '/race', volume + '/evil');
    try {
      rename('/away', '/race');
    } catch {
      rename('/away', '/race');
    }
  }
`;

describe('a container that replaces directories by links during resolution', () => {
  it('never makes the node read, create or hold anything outside its volume', async () => {
    mkdirSync(join(volume, 'race'));
    writeFileSync(join(volume, 'race/file'), 'inside');
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const attacker = new Worker(ATTACK, { eval: true, workerData: { volume, outside, stop } });
    try {
      await new Promise((resolve) => void attacker.once('message', resolve));
      const outsideIno = statSync(outside).ino;
      let foundInside = 0;
      for (let round = 0; round < 5_000; round += 1) {
        const text = read('race/file');
        expect(text).not.toBe('secret');
        if (text === 'inside') foundInside += 1;
        try {
          const made = resolveBeneath(volume, `race/made-${round % 10}`, 'make');
          expect(made.stats.ino).not.toBe(outsideIno);
          made.close();
        } catch {
          // Rejected, or already gone: both are right.
        }
      }
      expect(foundInside).toBeGreaterThan(0);
      expect(readdirSync(outside)).toEqual(['file']);
      expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('secret');
    } finally {
      Atomics.store(stop, 0, 1);
      await new Promise((resolve) => void attacker.once('exit', resolve));
    }
  });

  it('leaks no descriptor', () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    symlinkSync(outside, join(volume, 'link'));
    const before = open();
    for (let round = 0; round < 100; round += 1) {
      read('dir/file');
      read('link/file');
      read('nothing/at/all');
      resolveBeneath(volume, 'dir/x/y', 'make').close();
    }
    expect(open()).toBe(before);
    closeSync(resolveBeneath(volume, 'dir', 'fail').fd);
  });
});
