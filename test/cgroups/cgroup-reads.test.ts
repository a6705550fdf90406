import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asRead, cgroupReads } from '../../src/cgroups/cgroup-reads.ts';
import type { CgroupValues } from '../../src/cgroups/cgroup-values.ts';
import { cgroupWrites, CONTROLLERS } from '../../src/cgroups/cgroup-writes.ts';

/** A cgroup's files as the kernel has them before anything is written. */
const UNTOUCHED = {
  1: {
    'cpu.shares': '1024',
    'cpu.cfs_quota_us': '-1',
    'cpu.cfs_period_us': '100000',
    'memory.limit_in_bytes': '9223372036854771712',
  },
  2: { 'cpu.weight': '100', 'cpu.max': 'max 100000', 'memory.max': 'max' },
} as const;

function read(version: 1 | 2, written: CgroupValues): CgroupValues {
  const files = new Map<string, string>(Object.entries(UNTOUCHED[version]));
  for (const { file, text } of cgroupWrites(written, version)) files.set(file, text);
  return cgroupReads(CONTROLLERS, version, (_, file) => `${files.get(file) ?? ''}\n`);
}

const values = fc.record({
  cpuShares: fc.bigInt(2n, 262_144n),
  cpuQuota: fc.record({
    microseconds: fc.oneof(fc.constant('unlimited' as const), fc.bigInt(1_000n, 10n ** 9n)),
    periodMicroseconds: fc.bigInt(1_000n, 1_000_000n),
  }),
  memoryLimitBytes: fc.bigInt(0n, 2n ** 62n),
});

describe('the settings of a cgroup, read from its files', () => {
  it.each([
    { version: 1, cpuShares: 1024n },
    { version: 2, cpuShares: 2598n },
  ] as const)('have no limits where the kernel shows none: v$version', ({ version, cpuShares }) => {
    expect(read(version, {})).toEqual({
      cpuShares,
      cpuQuota: { microseconds: 'unlimited', periodMicroseconds: 100_000n },
    });
  });

  it.each([1, 2] as const)('are those that were written, as far as the kernel keeps them: v%i', (version) => {
    fc.assert(
      fc.property(values, (written) => {
        const seen = read(version, written);
        expect(seen).toEqual(asRead(written, version));
        expect(asRead(seen, version)).toEqual(seen);
      }),
    );
  });

  it('are absent for a controller that the host lacks', () => {
    expect(cgroupReads(['pids'], 1, () => '1')).toEqual({});
    expect(cgroupReads(['memory'], 2, () => '4096')).toEqual({ memoryLimitBytes: 4096n });
  });
});
