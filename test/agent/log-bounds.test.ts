import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boundedFields, boundedMessage } from '../../src/agent/log-bounds.ts';
import { makeLog } from '../../src/agent/logger.ts';

const THREE_MB = 'x'.repeat(3_000_000);
const CUT = `${'x'.repeat(1024)}… (2998976 more characters)`;

describe('the fields of a log line', () => {
  it('are the same object when nothing is too long', () => {
    const fields = { pod: 'default/web', code: 3, flight: ['a > b: c'], nested: { err: 'refused' } };
    expect(boundedFields(fields)).toBe(fields);
  });

  it.each([
    { what: 'a text', fields: { err: THREE_MB }, expected: { err: CUT } },
    { what: 'a text in an object', fields: { a: { b: { c: THREE_MB } } }, expected: { a: { b: { c: CUT } } } },
    { what: 'a text in a list', fields: { all: ['a', THREE_MB] }, expected: { all: ['a', CUT] } },
    {
      what: 'a list',
      fields: { all: Array.from({ length: 100_000 }, (_, index) => index) },
      expected: { all: [...Array.from({ length: 64 }, (_, index) => index), '… (99936 more)'] },
    },
    {
      what: 'an object in an object, too deep',
      fields: { a: { b: { c: { d: { e: 1 } } } } },
      expected: { a: { b: { c: { d: '[object]' } } } },
    },
    {
      what: 'the name of a field',
      fields: { [THREE_MB]: 1 },
      expected: { [`${'x'.repeat(128)}… (2999872 more characters)`]: 1 },
    },
    { what: 'bytes', fields: { body: Buffer.alloc(3_000_000) }, expected: { body: '[3000000 bytes]' } },
  ])('are cut: $what', ({ fields, expected }) => {
    expect(boundedFields(fields)).toEqual(expected);
  });

  it('are at most 64, with a count of the others', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field-${index}`, index]));
    const cut = boundedFields(many);
    expect(Object.keys(cut)).toHaveLength(65);
    expect(cut).toMatchObject({ 'field-63': 63, '…': '936 more fields' });
  });

  it('may hold an object that contains itself', () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    expect(boundedFields(circle)).toEqual({ self: { self: { self: { self: '[object]' } } } });
  });

  it('show an error by its shortened message and its origin', () => {
    const error = new TypeError(THREE_MB);
    error.stack = THREE_MB;
    expect(boundedFields({ err: error })).toEqual({ err: { type: 'TypeError', message: CUT, stack: CUT } });
    expect(boundedFields(error)).toEqual({ err: { type: 'TypeError', message: CUT, stack: CUT } });
  });

  it.each([
    { what: 'texts', fields: { all: Array.from({ length: 10_000 }, () => 'x'.repeat(2_000)) } },
    { what: 'numbers', fields: { all: Array.from({ length: 64 }, () => Array.from({ length: 64 }, () => [1e300])) } },
    { what: 'empty lists', fields: { all: Array.from({ length: 64 }, () => Array.from({ length: 64 }, () => [])) } },
    {
      what: 'names',
      fields: Object.fromEntries(
        Array.from({ length: 64 }, (_, index) => [
          index,
          Object.fromEntries(Array.from({ length: 64 }, (_, field) => [`${field}${'x'.repeat(100)}`, 1])),
        ]),
      ),
    },
  ])('are 64 KiB at most, however many there are: $what', ({ fields }) => {
    const written = JSON.stringify(boundedFields(fields));
    expect(written.length).toBeLessThan(64 * 1024);
    expect(written).toMatch(/… \(\d+ more\)|\d+ more fields/);
  });
});

describe('a log line', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hivelet-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['json', 'text'] as const)('in %s is some kilobytes long when megabytes are to be logged', (format) => {
    const destination = join(folder, 'agent.log');
    const log = makeLog({ verbosity: 0, format, destination });
    log.warn({ err: THREE_MB, pod: THREE_MB }, THREE_MB);
    const text = readFileSync(destination, 'utf8');
    expect(text.length).toBeGreaterThan(3 * 1024);
    expect(text.length).toBeLessThan(3 * 1024 + 500);
  });

  it('keeps punctuation unchanged', () => {
    const destination = join(folder, 'agent.log');
    makeLog({ verbosity: 0, format: 'json', destination }).info({}, 'disk is 90% full: %s %d %%');
    expect(JSON.parse(readFileSync(destination, 'utf8'))).toMatchObject({ msg: 'disk is 90% full: %s %d %%' });
  });

  it('has a message of limited length', () => {
    expect(boundedMessage('short')).toBe('short');
    expect(boundedMessage(THREE_MB)).toBe(CUT);
  });
});
