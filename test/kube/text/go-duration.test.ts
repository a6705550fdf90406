import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGoDuration, parseGoDuration } from '../../../src/kube/text/go-duration.ts';

describe('a Go duration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1m30s', 90_000],
    ['300ms', 300],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['-2s', -2_000],
    ['+2s', 2_000],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['250ns', 0.000_25],
    ['1h1m1s1ms', 3_661_001],
    ['2562047h47m16s', 9_223_372_036_000],
  ])('%s is %d milliseconds', (text, expected) => {
    expect(parseGoDuration(text)).toBe(expected);
  });

  it.each(['', '-', '5', '1d', 's', '.s', '1 s', '1m 30s', '3000000h', 'abc', '1m30'])(
    '%j is not a duration',
    (text) => {
      expect(parseGoDuration(text)).toBeUndefined();
    },
  );

  it.each([
    [0, '0s'],
    [0.000_25, '250ns'],
    [0.0015, '1.5µs'],
    [300, '300ms'],
    [1.5, '1.5ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_000, '59s'],
    [60_000, '1m0s'],
    [90_000, '1m30s'],
    [3_600_000, '1h0m0s'],
    [-7_325_500, '-2h2m5.5s'],
    [86_400_000, '24h0m0s'],
  ])('%d milliseconds are printed as %s', (milliseconds, text) => {
    expect(formatGoDuration(milliseconds)).toBe(text);
  });

  it('is read back as written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (milliseconds) => {
        expect(parseGoDuration(formatGoDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });
});
