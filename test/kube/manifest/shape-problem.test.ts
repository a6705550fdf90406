import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeShape, list, map, object } from '../../../src/kube/manifest/decode-shape.ts';
import { formatFieldPath } from '../../../src/kube/validation/field-path.ts';
import { podShape } from '../../../src/kube/manifest/pod-shape.ts';
import { shapeProblem } from '../../../src/kube/manifest/shape-problem.ts';

const shape = object(
  {
    name: 'string',
    on: 'bool',
    count: 'int',
    port: 'int-or-string',
    size: 'quantity',
    words: list('string'),
    labels: map('string'),
    rest: 'any',
    inner: object({ deep: list(object({ n: 'int' }, ['n'])) }),
  },
  ['name'],
);
const named = { name: 'a' };

describe('the first problem of a value', () => {
  it.each([
    { value: named, at: undefined },
    { value: { ...named, on: null, words: null, labels: null, inner: null }, at: undefined },
    { value: { ...named, labels: { a: null } }, at: undefined },
    { value: { ...named, unknown: [null], rest: { any: [1] } }, at: undefined },
    { value: { ...named, port: 'http' }, at: undefined },
    { value: {}, at: 'name' },
    { value: { name: null }, at: 'name' },
    { value: null, at: '' },
    { value: [], at: '' },
    { value: { ...named, on: 'true' }, at: 'on' },
    { value: { ...named, count: 1.5 }, at: 'count' },
    { value: { ...named, count: 1e300 }, at: 'count' },
    { value: { ...named, size: 'much' }, at: 'size' },
    { value: { ...named, size: '9'.repeat(65) }, at: 'size' },
    { value: { ...named, words: ['a', null] }, at: 'words[1]' },
    { value: { ...named, words: 'a' }, at: 'words' },
    { value: { ...named, labels: { a: 1 } }, at: 'labels.a' },
    { value: { ...named, labels: [] }, at: 'labels' },
    { value: { ...named, inner: { deep: [{ n: 1 }, {}] } }, at: 'inner.deep[1].n' },
    { value: JSON.parse('{"name":"a","__proto__":{"count":"x"},"constructor":5}') as unknown, at: undefined },
  ])('of $value is at $at', ({ value, at }) => {
    const problem = shapeProblem(shape, value);
    expect(problem && formatFieldPath(problem.path)).toBe(at);
  });

  const place = fc.constantFrom('metadata', 'spec', 'containers', 'volumes', 'name', 'labels', 'env', 'resources', 'a');
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, -1, 1.5, '', 'a', '5', 'Always'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(place, tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  it('exists whenever the manifest decoder finds a problem', () => {
    fc.assert(
      fc.property(json, (value) => {
        if (shapeProblem(podShape, value) !== undefined) return;
        expect(decodeShape(podShape, value).problems).toEqual([]);
      }),
    );
  });
});
