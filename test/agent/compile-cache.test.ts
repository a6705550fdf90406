import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootDirOf } from '../../src/agent/compile-cache.ts';

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'hivelet-compiled-'));
});
afterEach(() => rmSync(rootDir, { recursive: true }));

interface Seen {
  readonly problem?: string;
  readonly here?: string;
  readonly inThread?: string;
}

function inProcess(how: 'use' | 'make' | 'abandon'): Seen {
  const script = fileURLToPath(new URL('fixture-compile-cache.ts', import.meta.url));
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env;
  return JSON.parse(execFileSync(process.execPath, [script, how, rootDir], { encoding: 'utf8', env })) as Seen;
}

describe('the cache of compiled code', () => {
  const folder = (): string => join(rootDir, 'compile-cache');

  it('is created in the root folder, readable by its owner only, and used by every thread', () => {
    const { problem, here, inThread } = inProcess('make');
    expect(problem).toBeUndefined();
    expect(here).toContain(folder());
    expect(inThread).toBe(here);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
  });

  it('is used by the next process from its start', () => {
    const { here } = inProcess('make');
    expect(inProcess('use')).toEqual({ here, inThread: here });
  });

  it('is lost if an agent stops before it has stored its code', () => {
    inProcess('abandon');
    expect(statSync(folder(), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('of an earlier agent is kept if such an agent stops', () => {
    inProcess('make');
    inProcess('abandon');
    expect(statSync(folder()).isDirectory()).toBe(true);
  });

  it('is not created before the arguments are validated', () => {
    expect(inProcess('use')).toEqual({});
    expect(statSync(folder(), { throwIfNoEntry: false })).toBeUndefined();
  });

  it.each([
    { is: 'root folder that others can write to', spoil: () => chmodSync(rootDir, 0o777), why: 'can be written to' },
    {
      is: 'cache that others can write to',
      spoil() {
        mkdirSync(folder());
        chmodSync(folder(), 0o770);
      },
      why: 'can be written to',
    },
    {
      is: 'cache that is a link to elsewhere',
      spoil() {
        mkdirSync(join(rootDir, 'elsewhere'));
        symlinkSync('elsewhere', folder());
      },
      why: 'is not a folder',
    },
    { is: 'file in its place', spoil: () => writeFileSync(folder(), ''), why: 'EEXIST' },
  ])('is done without where there is a $is', ({ spoil, why }) => {
    spoil();
    const { problem, ...used } = inProcess('make');
    expect(problem).toContain(why);
    expect(used).toEqual({});
    expect(inProcess('use')).toEqual({});
  });
});

describe('the root folder in arguments not yet validated', () => {
  it.each([
    { args: ['run', '--root-dir', '/one'], rootDir: '/one' },
    { args: ['run', '--root-dir=/one', '--v=2', '--root_dir=/two'], rootDir: '/two' },
    { args: ['run', '--root_dir', 'below'], rootDir: resolve('below') },
    { args: ['run', '--config', '/etc/kubelet.yaml', '--no-launcher'], rootDir: '/var/lib/kubelet' },
    { args: ['run', '--root-dir'], rootDir: '/var/lib/kubelet' },
  ])('of $args is $rootDir', ({ args, rootDir }) => {
    expect(rootDirOf(args)).toBe(rootDir);
  });
});
