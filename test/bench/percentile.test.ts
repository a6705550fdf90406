import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { percentile } from '../../bench/density/percentile.ts';

describe('a percentile', () => {
  it.each([
    { rule: 'the middle of an odd number of values', values: [30, 10, 20], percent: 50, is: 20 },
    { rule: 'the lower middle of an even number', values: [4, 1, 3, 2], percent: 50, is: 2 },
    { rule: 'the second largest of a hundred', values: hundred(), percent: 99, is: 99 },
    { rule: 'the largest for all', values: hundred(), percent: 100, is: 100 },
    { rule: 'the smallest value for 0 percent', values: hundred(), percent: 0, is: 1 },
    { rule: 'the value itself for a single value', values: [7], percent: 99, is: 7 },
    { rule: 'NaN without values', values: [], percent: 50, is: Number.NaN },
  ])('is $rule', ({ values, percent, is }) => {
    expect(percentile(values, percent)).toBe(is);
  });

  it('is one of the values, and at least the given share of values does not exceed it', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 100 }), (all, percent) => {
        const found = percentile(all, percent);
        expect(all).toContain(found);
        expect(all.filter((value) => value <= found).length).toBeGreaterThanOrEqual((percent / 100) * all.length);
      }),
    );
  });
});

function hundred(): readonly number[] {
  return Array.from({ length: 100 }, (_, index) => index + 1);
}
