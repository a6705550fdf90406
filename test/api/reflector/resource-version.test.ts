import { describe, expect, it } from 'vitest';
import { isOlderVersion } from '../../../src/api/reflector/resource-version.ts';

describe('of two resource versions', () => {
  it.each([
    { one: '9', other: '10', isOlder: true },
    { one: '10', other: '9', isOlder: false },
    { one: '31', other: '32', isOlder: true },
    { one: '32', other: '32', isOlder: false },
    { one: '18446744073709551614', other: '18446744073709551615', isOlder: true },
    { one: 'a1', other: '2', isOlder: false },
    { one: '1', other: 'b2', isOlder: false },
    { one: '', other: '2', isOlder: false },
    { one: '0', other: '2', isOlder: false },
  ])('$one is older than $other: $isOlder', ({ one, other, isOlder }) => {
    expect(isOlderVersion(one, other)).toBe(isOlder);
  });
});
