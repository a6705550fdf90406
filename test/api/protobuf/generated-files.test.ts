import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readApiMessages } from '../../../src/api/protobuf/api-messages.ts';
import { generatedFiles } from '../../../src/api/protobuf/generated-files.ts';

const source = join(import.meta.dirname, '../../../src');
const messagesText = readFileSync(join(source, 'api/protobuf/api-messages.txt'), 'utf8');

describe('the generated files of protobuf', () => {
  it.each(generatedFiles(readApiMessages(messagesText)))(
    '%s is up to date with the messages of the API',
    (file, text) => {
      expect(readFileSync(join(source, file), 'utf8')).toBe(text);
    },
  );
});

describe('the messages of the API', () => {
  it('have fields with a number, a name in JSON and a type', () => {
    const text =
      '# made up\n\nMade\n  1 uid int-or-none\n  2 args list string\n  3 (inline) Source\n  4 labels map string\n';
    expect(readApiMessages(text).get('Made')).toEqual([
      { number: 1, name: 'uid', type: 'int-or-none' },
      { number: 2, name: 'args', type: 'list string' },
      { number: 3, name: '', type: 'Source' },
      { number: 4, name: 'labels', type: 'map string' },
    ]);
  });

  it.each(['Made\n  one uid int', '  1 uid int', 'Made\n  1 uid', 'Made\nnot a message'])(
    'are rejected with the line that is neither message nor field: %j',
    (text) => {
      expect(() => readApiMessages(text)).toThrow(/^api-messages\.txt:[12]: /);
    },
  );

  it('use each number once in a message', () => {
    const twice = [...readApiMessages(messagesText)].flatMap(([message, fields]) => {
      const numbers = fields.map(({ number }) => number);
      return new Set(numbers).size === numbers.length ? [] : [message];
    });
    expect(twice).toEqual([]);
  });
});
