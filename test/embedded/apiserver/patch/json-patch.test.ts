import { describe, expect, it } from 'vitest';
import { jsonPatch } from '../../../../src/embedded/apiserver/patch/json-patch.ts';
import { Refusal } from '../../../../src/embedded/apiserver/store/refusal.ts';

type Operation = Readonly<Record<string, unknown>>;

/** Returns the code and the message with which the patch is rejected. */
function refusalOf(target: object, ...operations: readonly unknown[]): string {
  try {
    jsonPatch(target, operations);
  } catch (error) {
    if (error instanceof Refusal) return `${error.status.code} ${error.message.replace(/^.*request: /, '')}`;
    throw error;
  }
  return 'not refused';
}

describe('a JSON patch', () => {
  it.each<{ does: string; of: object; by: Operation; makes: unknown }>([
    { does: 'adds a member', of: { a: 1 }, by: { op: 'add', path: '/b', value: 2 }, makes: { a: 1, b: 2 } },
    { does: 'adds over a member', of: { a: 1 }, by: { op: 'add', path: '/a', value: 2 }, makes: { a: 2 } },
    {
      does: 'adds before an item',
      of: { a: [1, 3] },
      by: { op: 'add', path: '/a/1', value: 2 },
      makes: { a: [1, 2, 3] },
    },
    {
      does: 'adds after the last item',
      of: { a: [1] },
      by: { op: 'add', path: '/a/-', value: 2 },
      makes: { a: [1, 2] },
    },
    { does: 'adds null', of: {}, by: { op: 'add', path: '/a', value: null }, makes: { a: null } },
    { does: 'adds a member without a name', of: {}, by: { op: 'add', path: '/', value: 1 }, makes: { '': 1 } },
    { does: 'reads ~1 and ~0', of: {}, by: { op: 'add', path: '/a~1b~01', value: 1 }, makes: { 'a/b~1': 1 } },
    {
      does: 'replaces the whole document',
      of: { a: 1 },
      by: { op: 'replace', path: '', value: { b: 2 } },
      makes: { b: 2 },
    },
    {
      does: 'replaces in place',
      of: { a: 1, b: 2 },
      by: { op: 'replace', path: '/a', value: 3 },
      makes: { a: 3, b: 2 },
    },
    {
      does: 'replaces an item',
      of: { a: [1, 2] },
      by: { op: 'replace', path: '/a/0', value: 3 },
      makes: { a: [3, 2] },
    },
    { does: 'removes a member', of: { a: 1, b: 2 }, by: { op: 'remove', path: '/a' }, makes: { b: 2 } },
    { does: 'removes an item', of: { a: [1, 2, 3] }, by: { op: 'remove', path: '/a/1' }, makes: { a: [1, 3] } },
    {
      does: 'moves a value',
      of: { a: { x: 1 }, b: {} },
      by: { op: 'move', from: '/a/x', path: '/b/y' },
      makes: { a: {}, b: { y: 1 } },
    },
    {
      does: 'moves within a list',
      of: { a: [1, 2, 3] },
      by: { op: 'move', from: '/a/0', path: '/a/2' },
      makes: { a: [2, 3, 1] },
    },
    {
      does: 'copies a value',
      of: { a: { x: 1 } },
      by: { op: 'copy', from: '/a', path: '/b' },
      makes: { a: { x: 1 }, b: { x: 1 } },
    },
    {
      does: 'tests a value',
      of: { a: { x: [1] } },
      by: { op: 'test', path: '/a', value: { x: [1] } },
      makes: { a: { x: [1] } },
    },
  ])('$does', ({ of, by, makes }) => {
    const before = structuredClone(of);
    expect(jsonPatch(of, [by])).toEqual(makes);
    expect(of).toEqual(before);
  });

  it('applies its operations in order, and copied values are independent', () => {
    const operations = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/x', value: 1 },
    ];
    expect(jsonPatch({ a: {} }, operations)).toEqual({ a: {}, b: { x: 1 } });
  });

  it.each<{ what: string; by: unknown; why: string }>([
    { what: 'a missing path', by: { op: 'remove', path: '/b' }, why: '422 the path "/b" does not exist' },
    {
      what: 'a path through a missing member',
      by: { op: 'add', path: '/b/c', value: 1 },
      why: '422 the path "/b/c" does not exist',
    },
    {
      what: 'a path through a number',
      by: { op: 'add', path: '/a/c', value: 1 },
      why: '422 the path "/a/c" does not exist',
    },
    {
      what: 'an index beyond the list',
      by: { op: 'add', path: '/l/2', value: 1 },
      why: '422 the path "/l/2" does not exist',
    },
    {
      what: 'an index with a leading 0',
      by: { op: 'add', path: '/l/01', value: 1 },
      why: '422 the path "/l/01" does not exist',
    },
    {
      what: 'the length of a list',
      by: { op: 'test', path: '/l/length', value: 1 },
      why: '422 the path "/l/length" does not exist',
    },
    {
      what: 'the index after the last item',
      by: { op: 'remove', path: '/l/-' },
      why: '422 the path "/l/-" does not exist',
    },
    { what: 'a test that fails', by: { op: 'test', path: '/a', value: 2 }, why: '422 testing value /a failed' },
    {
      what: 'a move into itself',
      by: { op: 'move', from: '/l', path: '/l/0' },
      why: '422 /l cannot be moved into itself',
    },
    { what: 'no value', by: { op: 'add', path: '/b' }, why: '422 op "add" needs a value' },
    { what: 'no pointer', by: { op: 'add', path: 'b', value: 1 }, why: '422 path "b" is not a JSON pointer' },
    { what: 'no operation', by: 7, why: '422 7 is not an operation' },
    {
      what: 'an unknown operation',
      by: { op: 'constructor', path: '/a' },
      why: '422 op "constructor" must be add, remove, replace, copy, move or test',
    },
  ])('is rejected for $what', ({ by, why }) => {
    expect(refusalOf({ a: 1, l: [1] }, by)).toBe(why);
  });

  it('is rejected when copies grow without bound, and for too many operations', () => {
    const doubling = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/${at}` }));
    expect(refusalOf({ a: 'x'.repeat(100) }, ...doubling)).toMatch(/^413 .*copies more than/);
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: 1 }));
    expect(refusalOf({}, ...many)).toMatch(/^413 .*10001 operations/);
  });
});
