import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategicMerge } from '../../../../src/embedded/apiserver/patch/strategic-merge.ts';

interface Case {
  readonly rule: string;
  readonly before: object;
  readonly patch: object;
  readonly after: object;
}

const containers = (...all: object[]): object => ({ spec: { containers: all } });

describe('a strategic merge patch', () => {
  it.each([
    {
      rule: 'merges members, and null removes a member',
      before: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { a: null, c: '3' } } },
      after: { metadata: { labels: { b: '2', c: '3' } } },
    },
    {
      rule: 'matches items by their merge key',
      before: containers({ name: 'a', image: 'x' }, { name: 'b', image: 'y' }),
      patch: containers({ name: 'b', image: 'z' }, { name: 'c', image: 'w' }),
      after: containers({ name: 'a', image: 'x' }, { name: 'b', image: 'z' }, { name: 'c', image: 'w' }),
    },
    {
      rule: 'matches items of nested lists',
      before: containers({ name: 'a', env: [{ name: 'X', value: '1' }], ports: [{ containerPort: 80 }] }),
      patch: containers({ name: 'a', env: [{ name: 'X', value: '2' }], ports: [{ containerPort: 80, name: 'web' }] }),
      after: containers({ name: 'a', env: [{ name: 'X', value: '2' }], ports: [{ containerPort: 80, name: 'web' }] }),
    },
    {
      rule: 'merges conditions by their type',
      before: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Why' }, { type: 'Other' }] } },
      patch: { status: { conditions: [{ type: 'Ready', status: 'True', reason: null }] } },
      after: { status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Other' }] } },
    },
    {
      rule: 'replaces lists that have no key',
      before: containers({ name: 'a', args: ['1', '2'] }),
      patch: containers({ name: 'a', args: ['3'] }),
      after: containers({ name: 'a', args: ['3'] }),
    },
    {
      rule: 'adds to lists of primitive values',
      before: { metadata: { finalizers: ['a', 'b'] } },
      patch: { metadata: { finalizers: ['b', 'c'] } },
      after: { metadata: { finalizers: ['a', 'b', 'c'] } },
    },
    {
      rule: 'removes primitive values from lists',
      before: { metadata: { finalizers: ['a', 'b'] } },
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      after: { metadata: { finalizers: ['b'] } },
    },
    {
      rule: 'removes an item marked with $patch: delete',
      before: containers({ name: 'a' }, { name: 'b' }),
      patch: containers({ name: 'a', $patch: 'delete' }),
      after: containers({ name: 'b' }),
    },
    {
      rule: 'replaces a list marked with $patch: replace',
      before: containers({ name: 'a' }, { name: 'b' }),
      patch: containers({ $patch: 'replace' }, { name: 'c' }),
      after: containers({ name: 'c' }),
    },
    {
      rule: 'replaces a mapping marked with $patch: replace',
      before: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'replace', b: '2' } } },
      after: { metadata: { labels: { b: '2' } } },
    },
    {
      rule: 'removes a mapping marked with $patch: delete',
      before: { metadata: { labels: { a: '1' }, name: 'x' } },
      patch: { metadata: { labels: { $patch: 'delete' } } },
      after: { metadata: { name: 'x' } },
    },
    {
      rule: 'keeps only the named members of a union',
      before: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      patch: { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }] } },
      after: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    },
    {
      rule: 'puts items in the order of $setElementOrder',
      before: containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      patch: {
        spec: {
          '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
          containers: [{ name: 'a', image: 'x' }],
        },
      },
      after: containers({ name: 'c' }, { name: 'b' }, { name: 'a', image: 'x' }),
    },
  ] satisfies Case[])('$rule', ({ before, patch, after }) => {
    expect(strategicMerge('Pod', before, patch as Record<string, unknown>)).toEqual(after);
  });

  it('rejects an item without its merge key', () => {
    expect(() => strategicMerge('Pod', {}, { spec: { containers: [{ image: 'x' }] } })).toThrow(
      /does not contain declared merge key: name/,
    );
  });

  it('has the same result when applied twice', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.constantFrom('1', '2')));
    const items = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y') }),
      {
        selector: ({ name }) => name,
      },
    );
    fc.assert(
      fc.property(items, items, labels, (before, after, changed) => {
        const patch = { metadata: { labels: changed }, spec: { containers: after } };
        const once = strategicMerge('Pod', containers(...before), patch);
        expect(strategicMerge('Pod', once, patch)).toEqual(once);
      }),
    );
  });
});
