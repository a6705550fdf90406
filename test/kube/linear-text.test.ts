import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt } from '../../src/kube/text/excerpt.ts';
import { matchesGlob } from '../../src/kube/text/glob.ts';
import { trimEndOf, trimStartOf } from '../../src/kube/text/trim-run.ts';

describe('a trimmed run', () => {
  it.each([
    ['//a//', 'a//', '//a'],
    ['////', '', ''],
    ['', '', ''],
    ['a', 'a', 'a'],
  ])('%j', (text, withoutStart, withoutEnd) => {
    expect(trimStartOf(text, '/')).toBe(withoutStart);
    expect(trimEndOf(text, '/')).toBe(withoutEnd);
  });

  it('takes any character of a set', () => {
    expect(trimEndOf('name-.-', '-.')).toBe('name');
  });
});

describe('a glob', () => {
  it('matches the same text as the regular expression', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(piece, text, (pattern, value) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's');
        expect(matchesGlob(pattern, value)).toBe(expression.test(value));
      }),
    );
  });

  it('is no slower for many stars', () => {
    expect(matchesGlob(`${'*a'.repeat(40)}b`, 'a'.repeat(20_000))).toBe(false);
  });
});

describe('an excerpt', () => {
  it.each([
    ['short', 'short'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['x'.repeat(1030), `${'x'.repeat(1024)}… (6 more characters)`],
  ])('of %#', (text, shown) => {
    expect(excerpt(text)).toBe(shown);
  });
});
