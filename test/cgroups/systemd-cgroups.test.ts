import { describe, expect, it } from 'vitest';
import type { Cgroups } from '../../src/cgroups/cgroups.ts';
import { systemdCgroups } from '../../src/cgroups/systemd-cgroups.ts';
import { systemdManager } from '../../src/cgroups/systemd-manager.ts';

const path = '/kubepods.slice/kubepods-podx.slice';
const unit = 'kubepods-podx.slice';

/** A bus on which systemd keeps units, and which may fail. */
class FakeBus {
  readonly units = new Map<string, Map<string, string>>();
  readonly calls: string[] = [];
  failure: string | undefined;

  readonly run = (args: readonly string[]): void => {
    const [method = '', , name = '', ...rest] = args.slice(args.indexOf('--') + 4);
    this.calls.push(`${method} ${name}`);
    if (this.failure !== undefined) throw Object.assign(new Error('busctl failed'), { stderr: `${this.failure}\n` });
    switch (method) {
      case 'StartTransientUnit':
        if (this.units.has(name)) return refuse(`Unit ${name} was already loaded or has a fragment file.`);
        return void this.units.set(name, propertiesIn(rest));
      case 'SetUnitProperties':
        for (const [key, value] of propertiesIn(rest)) this.units.get(name)?.set(key, value);
        return;
      case 'StopUnit':
        if (!this.units.delete(name)) refuse(`Unit ${name} not loaded.`);
        return;
      default:
        refuse('Unknown method');
    }
  };
}

function refuse(reason: string): void {
  throw Object.assign(new Error('busctl failed'), { stderr: `Call failed: ${reason}\n` });
}

/** `replace` or `true`, the number of properties, and each of them. */
function propertiesIn([, count, ...rest]: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (let index = 0; index < Number(count); index += 1) {
    const [name = '', type = ''] = rest.slice(at);
    const length = type === 'as' ? 1 + Number(rest[at + 2]) : 1;
    found.set(name, rest.slice(at + 2, at + 2 + length).join(' '));
    at += 2 + length;
  }
  return found;
}

function hostOf(bus: FakeBus) {
  const files: string[] = [];
  const warnings: string[] = [];
  let removal: string | undefined;
  const under: Cgroups = {
    exists: () => true,
    childrenOf: () => [],
    set: (at) => void files.push(`set ${at}`),
    valuesOf: () => ({ cpuShares: 7n }),
    remove: (at) => {
      files.push(`remove ${at}`);
      return removal;
    },
    removeEmpty: () => removal,
  };
  const cgroups = systemdCgroups({
    files: under,
    manager: systemdManager(bus.run),
    version: 2,
    warn: (message) => void warnings.push(message),
  });
  return { cgroups, files, warnings, busy: (why: string | undefined) => void (removal = why) };
}

describe('cgroups that systemd owns', () => {
  it("are created as slices with systemd's limits, and as folders with all limits", () => {
    const bus = new FakeBus();
    const { cgroups, files } = hostOf(bus);
    expect(cgroups.set(path, { cpuShares: 1024n, memoryLimitBytes: 4096n })).toBeUndefined();
    expect(Object.fromEntries(bus.units.get(unit) ?? [])).toMatchObject({
      Wants: '1 kubepods.slice',
      CPUWeight: '39',
      MemoryMax: '4096',
      MemoryAccounting: 'true',
    });
    expect(files).toEqual([`set ${path}`]);
  });

  it('are updated when they exist', () => {
    const bus = new FakeBus();
    const { cgroups, warnings } = hostOf(bus);
    cgroups.set(path, { cpuShares: 2n });
    cgroups.set(path, { cpuShares: 1024n });
    cgroups.set(path, {});
    expect(bus.units.get(unit)?.get('CPUWeight')).toBe('39');
    expect(bus.calls.map((call) => call.split(' ')[0])).toEqual([
      'StartTransientUnit',
      'StartTransientUnit',
      'SetUnitProperties',
      'StartTransientUnit',
    ]);
    expect(warnings).toEqual([]);
  });

  it('are stopped when their folders are gone, and not before', () => {
    const bus = new FakeBus();
    const { cgroups, busy } = hostOf(bus);
    cgroups.set(path, {});
    busy('still in use');
    expect([cgroups.remove(path), cgroups.removeEmpty(path)]).toEqual(['still in use', 'still in use']);
    expect([...bus.units.keys()]).toEqual([unit]);
    busy(undefined);
    expect(cgroups.remove(path)).toBeUndefined();
    expect([...bus.units.keys()]).toEqual([]);
  });

  it('that systemd no longer knows are removed without a problem', () => {
    const { cgroups, warnings } = hostOf(new FakeBus());
    expect(cgroups.removeEmpty(path)).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('are set as folders while systemd does not answer, which is reported once', () => {
    const bus = new FakeBus();
    const { cgroups, files, warnings } = hostOf(bus);
    bus.failure = 'Failed to connect to bus';
    expect(cgroups.set(path, { cpuShares: 2n })).toBeUndefined();
    cgroups.set(path, { cpuShares: 3n });
    expect(warnings).toEqual([`${path}: systemd, StartTransientUnit: Failed to connect to bus`]);
    expect(files).toHaveLength(2);
    bus.failure = undefined;
    cgroups.set(path, { cpuShares: 4n });
    bus.failure = 'Connection reset';
    cgroups.set(path, { cpuShares: 5n });
    expect(warnings).toHaveLength(2);
  });
});
