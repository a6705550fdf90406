import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalQuantity,
  parseQuantity,
  quantityDividedBy,
  quantityMilli,
  quantityNano,
  quantityValue,
} from '../../src/kube/quantity.ts';

describe('a quantity', () => {
  it.each([
    { text: '0', nano: 0n },
    { text: '1', nano: 1_000_000_000n },
    { text: '500m', nano: 500_000_000n },
    { text: '0.5', nano: 500_000_000n },
    { text: '.5', nano: 500_000_000n },
    { text: '5.', nano: 5_000_000_000n },
    { text: '1u', nano: 1000n },
    { text: '1n', nano: 1n },
    { text: '2k', nano: 2_000_000_000_000n },
    { text: '1Ki', nano: 1024n * 10n ** 9n },
    { text: '1.5Gi', nano: 1_610_612_736n * 10n ** 9n },
    { text: '1E', nano: 10n ** 27n },
    { text: '1e3', nano: 10n ** 12n },
    { text: '12E-1', nano: 1_200_000_000n },
    { text: '-1.5', nano: -1_500_000_000n },
    { text: '+3', nano: 3_000_000_000n },
  ])('$text is read exactly', ({ text, nano }) => {
    expect(quantityNano(text)).toBe(nano);
  });

  it.each([
    { rule: 'a billionth is the finest unit; finer amounts are rounded up', text: '0.1n', nano: 1n },
    { rule: 'the same for an absurd exponent', text: '1e-999999', nano: 1n },
    { rule: 'the largest is 2^63-1', text: '9223372036854775808', nano: (2n ** 63n - 1n) * 10n ** 9n },
    { rule: 'an absurd exponent is cut to the maximum', text: '1e999999', nano: (2n ** 63n - 1n) * 10n ** 9n },
    { rule: 'a binary suffix is cut to the maximum', text: '8Ei', nano: (2n ** 63n - 1n) * 10n ** 9n },
    { rule: 'zero stays zero', text: '0e999999', nano: 0n },
  ])('$rule ($text)', ({ text, nano }) => {
    expect(quantityNano(text)).toBe(nano);
  });

  it.each(['', '.', 'm', '1x', '1 Gi', '1kk', '1e', '--1', '1Mb', '0x10', '1e1.5', 'NaN'])(
    '%j is refused by name',
    (text) => {
      expect(parseQuantity(text)).toMatchObject({
        ok: false,
        message: expect.stringContaining(JSON.stringify(text)) as string,
      });
      expect(quantityValue(text)).toBe(0n);
    },
  );

  it.each([
    { text: '1', milli: 1000n, value: 1n },
    { text: '1m', milli: 1n, value: 1n },
    { text: '1500u', milli: 2n, value: 1n },
    { text: '100Mi', milli: 104_857_600_000n, value: 104_857_600n },
    { text: undefined, milli: 0n, value: 0n },
  ])('$text has $milli thousandths and $value units, rounded up', ({ text, milli, value }) => {
    expect(quantityMilli(text)).toBe(milli);
    expect(quantityValue(text)).toBe(value);
  });

  it.each([
    { text: '0.5', canonical: '500m' },
    { text: '1000k', canonical: '1M' },
    { text: '1.5Gi', canonical: '1536Mi' },
    { text: '1024Ki', canonical: '1Mi' },
    { text: '0.5Ki', canonical: '512' },
    { text: '1.05Ki', canonical: '1075200m' },
    { text: '1024', canonical: '1024' },
    { text: '12E6', canonical: '12e6' },
    { text: '1500e0', canonical: '1500' },
    { text: '0Gi', canonical: '0' },
    { text: 3, canonical: '3' },
    { text: 0.1, canonical: '100m' },
    { text: 'no amount', canonical: 'no amount' },
  ])('$text is written $canonical', ({ text, canonical }) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it('is divided with rounding up, and a divisor of zero counts as 1', () => {
    expect(quantityDividedBy('100Mi', '1Gi')).toBe(1n);
    expect(quantityDividedBy('1500m', '0')).toBe(2n);
    expect(quantityDividedBy('1500m', '1m')).toBe(1500n);
  });

  const quantity = fc
    .tuple(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.option(fc.integer({ min: 0, max: 999_999 }), { nil: undefined }),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2'),
    )
    .map(([whole, fraction, suffix]) => `${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`);

  it('has one canonical form with the same amount', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const canonical = canonicalQuantity(text);
        expect(quantityNano(canonical)).toBe(quantityNano(text));
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof parseQuantity(text).ok).toBe('boolean');
      }),
    );
  });
});
