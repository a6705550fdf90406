import * as fc from 'fast-check';
import type { ApiMessages } from '../../../src/api/protobuf/api-messages.ts';
import { FOREIGN_NAMES } from '../../support/foreign-names.ts';

const key = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...FOREIGN_NAMES));
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('', 'x'.repeat(64), 'é'.repeat(70)),
);
const wellFormed = text.map((each) => each.toWellFormed());
const int = fc.oneof(
  fc.integer({ min: -5, max: 300 }),
  fc.constantFrom(0, 127, 128, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
const seconds = fc.integer({ min: -2_000_000_000, max: 253_402_300_799 }).filter((each) => each !== 0);
const time = seconds.map((each) => `${new Date(each * 1_000).toISOString().slice(0, 19)}Z`);
const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Values of each type as the API's JSON has them: what JSON omits is never there. */
const leaves: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: wellFormed,
  'string-or-none': wellFormed.filter((each) => each !== ''),
  bytes: base64,
  'bytes-or-none': base64.filter((each) => each !== ''),
  bool: fc.boolean(),
  flag: fc.constant(true),
  int,
  'int-or-none': int.filter((each) => each !== 0),
  quantity: fc.constantFrom('0', '100m', '1Gi', '1500Mi', '12e6'),
  time,
  'micro-time': fc
    .tuple(time, fc.integer({ min: 0, max: 999_999 }))
    .map(([at, micros]) => `${at.slice(0, -1)}.${String(micros).padStart(6, '0')}Z`),
  'int-or-string': fc.oneof(int, wellFormed),
  fields: fc.constant({ 'f:spec': {} }),
};

/** Returns any object of a message of the API, each of its fields being there or not. */
export function arbitraryObject(messages: ApiMessages, name: string): fc.Arbitrary<Record<string, unknown>> {
  const members = (messages.get(name) ?? []).map((field): fc.Arbitrary<readonly (readonly [string, unknown])[]> => {
    if (field.name === '') return arbitraryObject(messages, field.type).map((object) => Object.entries(object));
    return fc
      .option(arbitraryValue(messages, field.type), { nil: undefined })
      .map((value) => (value === undefined ? [] : [[field.name, value]]));
  });
  return fc.tuple(...members).map((parts) => Object.fromEntries(parts.flat()));
}

function arbitraryValue(messages: ApiMessages, type: string): fc.Arbitrary<unknown> {
  const leaf = leaves[type];
  if (leaf !== undefined) return leaf;
  const [, container, item = ''] = /^(list|map) (.+)$/.exec(type) ?? [];
  // JSON omits empty lists and maps, and a value in a map may be an empty list.
  const maxLength = messages.has(item) ? 2 : 4;
  if (container === 'list') return fc.array(arbitraryValue(messages, item), { minLength: 1, maxLength });
  if (container === 'map') {
    return fc
      .array(
        fc.tuple(
          key.map((each) => each.toWellFormed()),
          arbitraryValue(messages, item),
        ),
        { minLength: 1, maxLength },
      )
      .map((entries) => Object.fromEntries(entries));
  }
  return arbitraryObject(messages, type);
}
