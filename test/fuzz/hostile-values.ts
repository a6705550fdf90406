import * as fc from 'fast-check';
import { join, keys, many, nest, repeat, type Recipe } from './recipe.ts';

/** The names that every JavaScript object inherits. */
export const prototypeNames: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/** Names that become parts of paths, URLs or records. */
const awkwardNames: readonly string[] = [
  '',
  '.',
  '..',
  '../..',
  '../../../../tmp/outside',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a\0b',
  'a\nb',
  ' a ',
  '-',
  '--flag',
  '*',
  '*.*.*.*.*',
  '%2e%2e%2f',
  '%00',
  '%',
  '%zz',
  'ünï-ço\u0308dé',
  '\u202e\ufeff',
  '\ud800',
  '💥',
  '$(VAR)',
  '$(A)$(B)',
  '${HOME}',
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '0x10',
  'NaN',
  'a:b',
  ':',
  'a=b',
  'a,b',
  '"',
  "'",
  '<script>',
  '{{',
];

const scalars: readonly Recipe[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  0.1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  -1e21,
  1e308,
  5e-324,
  '',
  '0',
  '1',
  '-1',
  '100%',
  '1e9999999',
  '9'.repeat(40),
  '1Ei',
  '999999999999999999Ei',
  '-5Gi',
  '2026-01-01T00:00:00Z',
  '9999-99-99T99:99:99Z',
  '+275760-09-13T00:00:00Z',
];

/** Characters whose runs make a careless regular expression backtrack. */
const runCharacters = ['/', '.', '*', ' ', '\t', '\n', '\0', '-', ':', 'a', '%', '=', '9', '[', '(', '\\', ',', '$('];

/** Small, and rarely large: most cases should cost little. */
export const size = (small: number, large: number): fc.Arbitrary<number> =>
  fc.noBias(
    fc.oneof(
      { weight: 40, arbitrary: fc.integer({ min: 0, max: small }) },
      { weight: 1, arbitrary: fc.integer({ min: small, max: large }) },
    ),
  );

const runLength = size(200, 120_000);

/** A long run with an end that keeps a pattern from matching. */
export const longRun: fc.Arbitrary<Recipe> = fc
  .tuple(
    fc.constantFrom('', 'a', 'u:', 'registry.example/'),
    fc.constantFrom(...runCharacters),
    runLength,
    fc.constantFrom('', 'x', '!', 'b'),
  )
  .map(([before, run, length, after]) => join(before, repeat(run, length), after));

export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...prototypeNames) },
  { weight: 3, arbitrary: fc.constantFrom(...awkwardNames) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

export const hostileText: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 3, arbitrary: hostileKey },
  { weight: 2, arbitrary: longRun },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

const depth = size(40, 6_000);
const nestKey = fc.constantFrom<string | null>(null, 'a', 'spec', 'matchExpressions', '__proto__');

/** A value of a wrong kind, size, depth or spelling. */
export const hostileValue: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...scalars) },
  { weight: 4, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.tuple(nestKey, depth).map(([key, deep]) => nest(key, deep, 'leaf')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom<Recipe>(null, {}, [], 'a', 0, { name: 'a' }), size(20, 5_000))
      .map(([item, count]) => many(item, count)),
  },
  { weight: 1, arbitrary: size(20, 5_000).map((count) => keys('key-', count)) },
  { weight: 1, arbitrary: fc.dictionary(hostileKey, fc.constantFrom(...scalars), { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<Recipe>([], {}, [null], [[]], [{}], { '': '' }) },
);

/** Bytes that are not text, as base64. */
export const hostileBytes: fc.Arbitrary<string> = fc
  .uint8Array({ maxLength: 64 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
