import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, MAX_VALUES, whyOverlarge } from '../../../src/kube/manifest/why-overlarge.ts';

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};
const inList = (inner: unknown): unknown => [inner];
const inMember = (inner: unknown): unknown => ({ a: inner });

/** Ten to the n values, written with ten times n references. */
const bomb = (n: number): unknown => nested(n, (inner) => Array<unknown>(10).fill(inner));

describe('a document that is too large to walk', () => {
  it.each([
    { rule: 'text is accepted', value: 'x', why: undefined },
    { rule: 'null is accepted', value: undefined, why: undefined },
    { rule: 'lists at the maximum depth', value: nested(MAX_DEPTH, inList), why: undefined },
    { rule: 'members at the maximum depth', value: nested(MAX_DEPTH, inMember), why: undefined },
    { rule: 'one list deeper', value: nested(MAX_DEPTH + 1, inList), why: 'it is nested more than 100 levels deep' },
    {
      rule: 'one member deeper',
      value: nested(MAX_DEPTH + 1, inMember),
      why: 'it is nested more than 100 levels deep',
    },
    {
      rule: 'far deeper than any stack',
      value: nested(1_000_000, inMember),
      why: 'it is nested more than 100 levels deep',
    },
    { rule: 'the maximum number of values', value: Array(MAX_VALUES - 1).fill(0), why: undefined },
    { rule: 'one value more', value: Array(MAX_VALUES).fill(0), why: 'it holds more than 500000 values' },
    { rule: 'few values with aliases for 10^18', value: bomb(18), why: 'it holds more than 500000 values' },
  ])('$rule', ({ value, why }) => {
    expect(whyOverlarge(value)).toBe(why);
  });

  it('a cycle is endless', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(whyOverlarge(circle)).toContain('nested more than 100 levels deep');
  });

  it('is never an ordinary document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
        expect(whyOverlarge(value)).toBeUndefined();
      }),
    );
  });
});
