import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostCgroups } from '../../src/cgroups/host-cgroups.ts';

let mount: string;
let killed: number[];

beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), 'cgroups-'));
  killed = [];
});
afterEach(() => rmSync(mount, { recursive: true }));

const path = '/kubepods/burstable/podx';
const at = (...names: readonly string[]): string => join(mount, ...names);
const make = (name: string): void => void mkdirSync(at(name), { recursive: true });
const write = (name: string, text: string): void => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
};
const read = (name: string): string => readFileSync(at(name), 'utf8');
const cgroups = () => hostCgroups({ mount, kill: (pid) => void killed.push(pid) });

describe('the cgroups of a host with cgroup v1', () => {
  beforeEach(() => ['cpu', 'memory', 'pids', 'devices'].forEach(make));

  it('are created in every hierarchy with a value, and set', () => {
    const host = cgroups();
    expect(host.exists(path)).toBe(false);
    expect(host.set(path, { cpuShares: 10n, memoryLimitBytes: 4096n })).toBeUndefined();
    expect(host.exists(path)).toBe(true);
    expect(read(`cpu${path}/cpu.shares`)).toBe('10');
    expect(read(`memory${path}/memory.limit_in_bytes`)).toBe('4096');
    expect(existsSync(at('devices/kubepods'))).toBe(false);
  });

  it('are read back, and unreadable when a file is missing or has no number', () => {
    const host = cgroups();
    const values = {
      cpuShares: 10n,
      cpuQuota: { microseconds: 5_000n, periodMicroseconds: 100_000n },
      memoryLimitBytes: 4096n,
    };
    expect(host.valuesOf(path)).toBeUndefined();
    host.set(path, values);
    expect(host.valuesOf(path)).toEqual(values);
    write(`cpu${path}/cpu.shares`, 'many');
    expect(host.valuesOf(path)).toBeUndefined();
  });

  it('do not exist when one hierarchy lacks them', () => {
    const host = cgroups();
    host.set(path, {});
    rmSync(at('memory', path), { recursive: true });
    expect(host.exists(path)).toBe(false);
  });

  it('are not set if the host lacks the controller', () => {
    expect(cgroups().set(path, { hugePageLimits: new Map([[2n ** 21n, 0n]]) })).toBeUndefined();
  });

  it('report the file and the rejected value', () => {
    make(`memory${path}/memory.limit_in_bytes`);
    expect(cgroups().set(path, { memoryLimitBytes: 4096n })).toMatch(
      /^writing 4096 to .*\/memory\/kubepods\/burstable\/podx\/memory\.limit_in_bytes: EISDIR/,
    );
  });

  it('report that they cannot be created', () => {
    write('cpu/kubepods', 'a file in the way');
    expect(cgroups().set(path, {})).toMatch(/^making cgroup \/kubepods\/burstable\/podx: (EEXIST|ENOTDIR)/);
  });

  it('list the child cgroups once each', () => {
    make('cpu/kubepods/a');
    make('memory/kubepods/a');
    make('memory/kubepods/b');
    expect(cgroups().childrenOf('/kubepods').toSorted()).toEqual(['a', 'b']);
    expect(cgroups().childrenOf('/nothing')).toEqual([]);
  });

  it('are removed from every hierarchy, leaves first, and no others', () => {
    make(`cpu${path}/container`);
    make(`devices${path}`);
    make('cpu/kubepods/burstable/pody');
    expect(cgroups().remove(path)).toBeUndefined();
    expect(existsSync(at('cpu', path))).toBe(false);
    expect(existsSync(at('devices', path))).toBe(false);
    expect(existsSync(at('cpu/kubepods/burstable/pody'))).toBe(true);
    expect(killed).toEqual([]);
  });

  // A folder with a file cannot be removed, like a cgroup with a process.
  it('are emptied of running processes, and stay for another try when that fails', () => {
    write(`cpu${path}/container/cgroup.procs`, '4000001\n4000002\n');
    expect(cgroups().remove(path)).toMatch(/podx is still in use$/);
    expect(new Set(killed)).toEqual(new Set([4_000_001, 4_000_002]));
  });

  it('stay when only empty cgroups are removed and processes run in them', () => {
    write(`cpu${path}/cgroup.procs`, '4000001\n');
    expect(cgroups().removeEmpty(path)).toMatch(/is still in use$/);
    expect(killed).toEqual([]);
  });

  it('kill only processes with a PID of this host', () => {
    write(`cpu${path}/cgroup.procs`, '0\n-1\nx\n');
    cgroups().remove(path);
    expect(killed).toEqual([]);
  });

  it.each(['/', '', '/..', '/kubepods/..', 'kubepods', '/kubepods//podx'])('refuse to remove %j', (name) => {
    expect(cgroups().remove(name)).toMatch(/^refusing to remove/);
  });
});

describe('the cgroups of a host with cgroup v2', () => {
  beforeEach(() => {
    write('cgroup.controllers', 'cpuset cpu io memory pids\n');
    for (const folder of ['', 'kubepods/', 'kubepods/burstable/']) write(`${folder}cgroup.subtree_control`, 'cpu\n');
  });

  it('get their controllers enabled from the root on', () => {
    expect(cgroups().set(path, { cpuShares: 1024n, pidsMax: 5n })).toBeUndefined();
    for (const folder of ['', 'kubepods/', 'kubepods/burstable/'])
      expect(read(`${folder}cgroup.subtree_control`)).toBe('+memory +pids');
    expect(read(`${path}/cpu.weight`)).toBe('39');
    expect(read(`${path}/pids.max`)).toBe('5');
  });

  it('are removed from the unified hierarchy', () => {
    make(`${path}/container`);
    expect(cgroups().remove(path)).toBeUndefined();
    expect(existsSync(at(path))).toBe(false);
  });
});
