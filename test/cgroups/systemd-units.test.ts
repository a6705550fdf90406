import { describe, expect, it } from 'vitest';
import type { CgroupValues } from '../../src/cgroups/cgroup-values.ts';
import { unitBasics, unitOf, unitProperties } from '../../src/cgroups/systemd-units.ts';

const quota = (microseconds: bigint | 'unlimited', periodMicroseconds = 100_000n): CgroupValues => ({
  cpuQuota: { microseconds, periodMicroseconds },
});
const text = (values: CgroupValues, version: 1 | 2) =>
  unitProperties(values, version).map(([name, type, ...value]) => `${name} ${type} ${value.join(' ')}`);

describe('the systemd properties of a cgroup', () => {
  it.each([
    { values: { cpuShares: 1024n }, v2: ['CPUWeight t 39'], v1: ['CPUShares t 1024'] },
    { values: { cpuShares: 2n }, v2: ['CPUWeight t 1'], v1: ['CPUShares t 2'] },
    { values: { memoryLimitBytes: 4096n }, v2: ['MemoryMax t 4096'], v1: ['MemoryLimit t 4096'] },
    { values: { memoryMinBytes: 1n, memoryLowBytes: 2n }, v2: ['MemoryMin t 1', 'MemoryLow t 2'], v1: [] },
    { values: { pidsMax: 100n }, v2: ['TasksMax t 100'], v1: ['TasksMax t 100'] },
    { values: { hugePageLimits: new Map([[2n ** 21n, 0n]]) }, v2: [], v1: [] },
  ])('$values', ({ values, v1, v2 }) => {
    expect(text(values, 2)).toEqual(v2);
    expect(text(values, 1)).toEqual(v1);
  });

  it.each([
    { rule: 'half a CPU', values: quota(50_000n), perSecond: '500000' },
    { rule: 'with another period', values: quota(5_000n, 10_000n), perSecond: '500000' },
    { rule: 'rounded up, so that systemd does not round down', values: quota(1_234n), perSecond: '20000' },
    { rule: 'none', values: quota('unlimited'), perSecond: '18446744073709551615' },
  ])('a quota of $rule', ({ values, perSecond }) => {
    expect(text(values, 2)).toEqual([
      `CPUQuotaPeriodUSec t ${values.cpuQuota?.periodMicroseconds}`,
      `CPUQuotaPerSecUSec t ${perSecond}`,
    ]);
  });

  it.each([
    ['/kubepods.slice', 'kubepods.slice', undefined],
    ['/kubepods.slice/kubepods-burstable.slice', 'kubepods-burstable.slice', 'kubepods.slice'],
    [
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podab_cd.slice',
      'kubepods-burstable-podab_cd.slice',
      'kubepods-burstable.slice',
    ],
  ])('%s is %s, and requires its parent', (path, unit, parent) => {
    expect(unitOf(path)).toBe(unit);
    expect(unitBasics(unit, 2).find(([name]) => name === 'Wants')).toEqual(
      parent === undefined ? undefined : ['Wants', 'as', '1', parent],
    );
    expect(unitBasics(unit, 2)).toContainEqual(['DefaultDependencies', 'b', 'false']);
    expect(unitBasics(unit, 1)).toContainEqual(['BlockIOAccounting', 'b', 'true']);
  });
});
