import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuQuotaMicroseconds, cpuShares } from '../../../src/node/resources/cpu-values.ts';

describe('amounts of CPU', () => {
  it.each([
    { milli: 0n, shares: 2n, quota: 0n },
    { milli: 1n, shares: 2n, quota: 1000n },
    { milli: 10n, shares: 10n, quota: 1000n },
    { milli: 250n, shares: 256n, quota: 25_000n },
    { milli: 2000n, shares: 2048n, quota: 200_000n },
    { milli: 1_000_000n, shares: 262_144n, quota: 100_000_000n },
  ])('$milli m have $shares shares and a quota of $quota µs in 100 ms', ({ milli, shares, quota }) => {
    expect(cpuShares(milli)).toBe(shares);
    expect(cpuQuotaMicroseconds(milli, 100_000n)).toBe(quota);
  });

  it('never weigh less for being more', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 7n), (milli, more) => {
        expect(cpuShares(milli + more) >= cpuShares(milli)).toBe(true);
      }),
    );
  });
});
