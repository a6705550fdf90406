import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../../../src/volumes/disk/atomic-writer.ts';
import { OpenDirectory } from '../../../src/volumes/disk/open-directory.ts';
import type { Payload } from '../../../src/volumes/plan/payload.ts';
import { mayMount, temporaryRoot, volumeTools } from '../temporary-root.ts';

const tools = volumeTools();
const files = (entries: Readonly<Record<string, string>>, mode = 0o644): Payload =>
  new Map(Object.entries(entries).map(([path, text]) => [path, { bytes: Buffer.from(text), mode }]));

let root: ReturnType<typeof temporaryRoot>;
let dir: string;
beforeEach(() => {
  root = temporaryRoot();
  dir = join(root.dir, 'volume');
  mkdirSync(dir);
});
afterEach(() => root.discard());

const write = (payload: Payload, group?: number) =>
  OpenDirectory.within(OpenDirectory.open(dir), (directory) =>
    writeAtomically(directory, payload, {
      now: tools.now(),
      chance: tools.chance(),
      ...(group === undefined ? {} : { group: { gid: group, access: 'read-only', policy: 'Always' } as const }),
    }),
  );
const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
const names = (): readonly string[] => readdirSync(dir).filter((name) => !name.startsWith('..'));
const versions = (): readonly string[] => readdirSync(dir).filter((name) => /^\.\.\d/.test(name));

describe('an atomically written volume', () => {
  it('is in a versioned directory, behind links', () => {
    expect(write(files({ a: '1', 'sub/dir/b': '2' }))).toBe('written');
    expect([read('a'), read('sub/dir/b')]).toEqual(['1', '2']);
    expect([readlinkSync(join(dir, 'a')), readlinkSync(join(dir, 'sub'))]).toEqual(['..data/a', '..data/sub']);
    expect(readlinkSync(join(dir, '..data'))).toMatch(/^\.\.\d{4}(_\d\d){5}\.\d+$/);
    expect(versions()).toEqual([readlinkSync(join(dir, '..data'))]);
  });

  it('has exactly the requested modes, for any umask', () => {
    write(new Map([['a', { bytes: Buffer.from('1'), mode: 0o666 }]]));
    expect(statSync(join(dir, 'a')).mode & 0o7777).toBe(0o666);
    expect(statSync(join(dir, '..data')).mode & 0o7777).toBe(0o755);
  });

  it('is not written when it is unchanged', () => {
    write(files({ a: '1' }));
    const before = readlinkSync(join(dir, '..data'));
    expect(write(files({ a: '1' }))).toBe('unchanged');
    expect(readlinkSync(join(dir, '..data'))).toBe(before);
  });

  it('loses removed keys and gains new ones', () => {
    write(files({ a: '1', b: '2' }));
    expect(write(files({ b: '3', c: '4' }))).toBe('written');
    expect(names().toSorted()).toEqual(['b', 'c']);
    expect([read('b'), read('c')]).toEqual(['3', '4']);
    expect(versions()).toHaveLength(1);
  });

  it('may be empty', () => {
    write(files({ a: '1' }));
    write(new Map());
    expect(names()).toEqual([]);
    expect(statSync(join(dir, '..data')).isDirectory()).toBe(true);
  });

  it.each(['../a', '/a', 'a/../../b', '..data', '', 'a//b', './a', 'x'.repeat(256), `a/\0`])(
    'is refused as a whole for the path %j',
    (path) => {
      write(files({ good: 'old' }));
      expect(() => write(files({ good: 'new', [path]: 'bad' }))).toThrow(/invalid path/);
      expect(read('good')).toBe('old');
    },
  );

  it("belongs to the group, with the group's mode bits", () => {
    write(files({ 'd/a': '1' }, 0o400), 4_321);
    const file = statSync(join(dir, 'd/a'));
    expect([file.gid, file.mode & 0o7777]).toEqual([4_321, 0o440]);
    const directory = statSync(join(dir, 'd'));
    expect([directory.gid, directory.mode & 0o7777]).toEqual([4_321, 0o2755]);
  });

  it('never follows a planted link', () => {
    const outside = join(root.dir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a'), 'mine');
    chmodSync(outside, 0o700);
    symlinkSync(outside, join(dir, '..data'));
    symlinkSync(join(outside, 'a'), join(dir, 'a'));
    symlinkSync(outside, join(dir, '..data_tmp'));
    write(files({ a: 'theirs', 'outside/a': 'theirs' }), 4_321);
    expect(read('a')).toBe('theirs');
    expect(readFileSync(join(outside, 'a'), 'utf8')).toBe('mine');
    expect([readdirSync(outside), lstatSync(outside).gid, lstatSync(outside).mode & 0o777]).toEqual([['a'], 0, 0o700]);
  });

  it('removes leftovers of a killed writer, also when the content is right already', () => {
    for (const round of ['new', 'the same']) {
      mkdirSync(join(dir, '..2020_01_01_00_00_00.123', 'x'), { recursive: true });
      symlinkSync('..2020_01_01_00_00_00.123', join(dir, '..data_tmp'));
      expect(write(files({ a: '1' }))).toBe(round === 'new' ? 'written' : 'unchanged');
      expect(readdirSync(dir).toSorted()).toEqual([versions()[0], '..data', 'a']);
    }
  });

  it('is the last requested content, for any previous state', () => {
    const payload = fc
      .dictionary(fc.constantFrom('a', 'b', 'c/x', 'c/y', 'd/e/f'), fc.string({ maxLength: 5 }))
      .map((entries) => ({ ...entries }));
    fc.assert(
      fc.property(fc.array(payload, { minLength: 1, maxLength: 5 }), (payloads) => {
        for (const each of payloads) write(files(each));
        const last = payloads.at(-1) ?? {};
        expect(contents(join(dir, '..data'))).toEqual(last);
        expect(new Set(names())).toEqual(new Set(Object.keys(last).map((path) => path.split('/')[0])));
      }),
      { numRuns: 50 },
    );
  });
});

function contents(at: string, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? Object.entries(contents(join(at, entry.name), `${prefix}${entry.name}/`))
        : [[`${prefix}${entry.name}`, readFileSync(join(at, entry.name), 'utf8')]],
    ),
  );
}

describe.runIf(mayMount)('a disk that is full', () => {
  it('keeps the old content, and the new one is written when there is space', () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir]);
    write(files({ a: 'old' }));
    expect(() => write(files({ a: 'x'.repeat(200_000) }))).toThrow(/ENOSPC/);
    expect(read('a')).toBe('old');
    expect(versions()).toHaveLength(1);
    write(files({ a: 'new' }));
    expect(read('a')).toBe('new');
  });
});
