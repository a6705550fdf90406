import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/kube/text/canonical-json.ts';
import { fnv1a128, fnv1a32 } from '../../../src/kube/text/fnv-hash.ts';

describe('the 128-bit FNV-1a hash', () => {
  it.each([
    { text: '', hash: '6c62272e07bb014262b821756295c58d' },
    { text: 'a', hash: 'd228cb696f1a8caf78912b704e4a8964' },
    { text: 'foobar', hash: '343e1662793c64bf6f0d3597ba446f18' },
  ])('of $text is the published hash', ({ text, hash }) => {
    expect(fnv1a128(text)).toBe(hash);
  });

  it('equals the definition in plain arithmetic', () => {
    const prime = 2n ** 88n + 315n;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hash = Buffer.from(text).reduce(
          (state, byte) => ((state ^ BigInt(byte)) * prime) % 2n ** 128n,
          0x6c62272e07bb014262b821756295c58dn,
        );
        expect(fnv1a128(text)).toBe(hash.toString(16).padStart(32, '0'));
      }),
    );
  });

  it('of several texts is that of all in a row', () => {
    expect(fnv1a128('foo', 'bar')).toBe(fnv1a128('foobar'));
  });
});

describe('the 32-bit FNV-1a hash', () => {
  it.each([
    { text: '', hash: 0x811c9dc5 },
    { text: 'foobar', hash: 0xbf9cf968 },
  ])('of $text is the published hash', ({ text, hash }) => {
    expect(fnv1a32(text)).toBe(hash);
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of members', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  });

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value: unknown = JSON.parse(json);
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });
});
