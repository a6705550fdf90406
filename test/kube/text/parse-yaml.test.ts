import { describe, expect, it } from 'vitest';
import { parseYaml, parseYamlDocument, parseYamlDocuments } from '../../../src/kube/text/parse-yaml.ts';
import { systemClock } from '../../../src/actor/clock.ts';

const many = (text: (index: number) => string, count: number): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const problemOf = (text: string): string => {
  const read = parseYaml(text);
  return read.ok ? '' : read.problem;
};

describe('the reader of YAML', () => {
  it('reads YAML and JSON', () => {
    expect(parseYaml('a: 1\nb: [x, y]')).toEqual({ ok: true, value: { a: 1, b: ['x', 'y'] } });
    expect(parseYaml('{"a": {"__proto__": 1}}')).toEqual({ ok: true, value: { a: JSON.parse('{"__proto__": 1}') } });
    expect(parseYaml('a: &a [1]\nb: *a')).toEqual({ ok: true, value: { a: [1], b: [1] } });
  });

  it.each([
    { rule: 'a second document', text: 'a: 1\n---\nb: 1', says: /multiple documents/ },
    { rule: 'broken text', text: '{', says: /flow/i },
    { rule: 'a duplicate key in a mapping', text: 'a: 1\nb: 2\na: 3', says: /^Map keys must be unique/ },
    { rule: 'the same in JSON', text: '{"a": 1, "a": 2}', says: /^Map keys must be unique/ },
    { rule: 'an alias without its anchor', text: 'a: *b', says: /alias/ },
    { rule: 'aliases of aliases', text: `a: &a [1, 1, 1]\n${billion(9)}`, says: /alias|values/ },
    { rule: 'many aliases', text: `a: &a 1\n${many((n) => `k${n}: *a\n`, 101)}`, says: /more than 100 aliases/ },
    { rule: 'too many lines', text: '- 1\n'.repeat(100_000), says: /more than 100000 lines and commas/ },
    { rule: 'too many values on a line', text: `[${'1,'.repeat(100_001)}]`, says: /more than 100000 lines and commas/ },
    { rule: 'too many keys without a value', text: '? '.repeat(100_001), says: /more than 100000 lines and commas/ },
    { rule: 'deep nesting', text: `${'['.repeat(300)}${']'.repeat(300)}`, says: /deep/ },
    { rule: 'very deep nesting', text: `${'['.repeat(60_000)}${']'.repeat(60_000)}`, says: /deep|Maximum|flow/i },
  ])('refuses $rule', ({ text, says }) => {
    expect(problemOf(text)).toMatch(says);
  });

  it('names the place of a duplicate key', () => {
    const parsed = parseYamlDocuments('a: 1\nb:\n  c: 1\n  c: 2');
    expect(parsed.ok && parsed.documents[0]?.errors.map(({ code, pos }) => [code, pos[0]])).toEqual([
      ['DUPLICATE_KEY', 17],
    ]);
  });

  it.each([
    { rule: 'keys of one mapping', text: (count: number) => many((n) => `k${n}: 1\n`, count) },
    { rule: 'keys of one mapping on a line', text: (count: number) => `{${many((n) => `k${n}: 1, `, count)}}` },
    { rule: 'keys without a value', text: (count: number) => many((n) => `? k${n}\n`, count) },
  ])('reads many $rule in time that grows with their number', ({ text }) => {
    // 20,000 keys took a minute when each was compared with all before it.
    const begun = systemClock.monotonic();
    expect(parseYaml(text(20_000)).ok).toBe(true);
    expect(systemClock.monotonic() - begun).toBeLessThan(15_000);
  });
});

function billion(levels: number): string {
  let text = '';
  let last = 'a';
  for (let level = 0; level < levels; level += 1) {
    const name = `b${level}`;
    text += `${name}: &${name} [*${last}, *${last}, *${last}, *${last}, *${last}, *${last}, *${last}, *${last}]\n`;
    last = name;
  }
  return text;
}

describe('a key that is itself a list or a mapping', () => {
  const lines = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');

  it.each([
    { what: 'a mapping', text: '? {a: 1}\n: 2' },
    { what: 'a list in brackets', text: '[a, b]: 1' },
    { what: 'a mapping within a list', text: 'a:\n- b: 1\n- ? {c: 1}\n  : 2' },
    { what: 'an empty list', text: '{[]: 1}' },
    // These took from seconds to minutes when text was made of the keys.
    { what: 'a key of keys, a line each', text: lines(300, (index) => `${' '.repeat(index)}?`) },
    { what: 'keys of keys, ninety a line', text: lines(6, (index) => `${' '.repeat(180 * index)}${'? '.repeat(90)}`) },
    { what: 'lists of lists', text: `${'['.repeat(199)}${']: 1'.repeat(199)}` },
    { what: 'mappings of mappings', text: `${'{'.repeat(199)}${'}: 1'.repeat(199)}` },
  ])('is rejected before it is converted to text: $what', ({ text }) => {
    expect(problemOf(text)).toBe('a key of a mapping is a list or a mapping');
  });

  it.each(['? a\n: 1', '? |\n  a\n: 1', '&a a: 1\nb: *a', '"a": 1', '1: a', 'null: 1', '? '])(
    'is not confused with a plain key in another notation: %j',
    (text) => {
      expect(problemOf(text)).toBe('');
    },
  );
});

describe('a deeply nested line', () => {
  it.each([
    { what: 'keys of keys', text: '? '.repeat(4_000) },
    { what: 'lists of lists', text: '- '.repeat(4_000) },
    { what: 'mappings of mappings', text: 'a: '.repeat(4_000) },
    { what: 'mappings behind a document', text: `{"a": 1}\n${'a: '.repeat(4_000)}` },
  ])('is rejected before it is parsed: $what', ({ text }) => {
    expect(parseYamlDocument(text)).toMatchObject({ ok: false });
  });

  it('is read as JSON, with any number of members', () => {
    const members = Object.fromEntries(Array.from({ length: 500 }, (_, each) => [`key-${each}`, each]));
    expect(parseYamlDocument(JSON.stringify(members, null, 1).replaceAll('\n', ' '))).toMatchObject({ ok: true });
  });
});
