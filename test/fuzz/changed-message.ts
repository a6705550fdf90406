import * as fc from 'fast-check';
import { hostileText } from './hostile-values.ts';
import { textOf, type Recipe } from './recipe.ts';

/** One change to a field of a decoded protobuf message. The type of the field stays: other types cannot be encoded. */
export interface FieldChange {
  /** The number of the field, counted through the whole message, modulo the number of fields. */
  readonly pick: number;
  readonly text: Recipe;
  readonly number: number;
  /** `absent`: the field is not set. */
  readonly how: 'value' | 'absent' | 'double';
}

export const fieldChange: fc.Arbitrary<FieldChange> = fc.record({
  pick: fc.nat(200),
  text: hostileText,
  number: fc.oneof(
    fc.constantFrom(0, -1, 1, 2 ** 31 - 1, -(2 ** 31), 2 ** 53, -(2 ** 53), 99, 1e15),
    fc.integer({ min: -10, max: 1_000 }),
  ),
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant('value' as const) },
    { weight: 2, arbitrary: fc.constant('absent' as const) },
    { weight: 1, arbitrary: fc.constant('double' as const) },
  ),
});

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Changes a message in place, fields that are not set included. */
export function changeMessage(message: unknown, changes: readonly FieldChange[]): void {
  for (const change of changes) {
    const places = placesIn(message);
    const place = places[change.pick % Math.max(1, places.length)];
    if (place !== undefined) place.holder[place.key] = changedField(place.holder[place.key], change);
  }
}

function placesIn(message: unknown): readonly Place[] {
  if (typeof message !== 'object' || message === null || message instanceof Uint8Array) return [];
  // A decoded message is a plain object of its fields, or a list of messages.
  const holder = message as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

function changedField(value: unknown, { text, number, how }: FieldChange): unknown {
  if (Array.isArray(value)) {
    if (how === 'absent') return [];
    if (how === 'double') return [...value, ...value];
    return value.length === 0 ? value : Array.from({ length: Math.min(2_000, Math.abs(number)) }, () => value[0]);
  }
  switch (typeof value) {
    case 'string':
      return how === 'absent' ? '' : how === 'double' ? value + value : textOf(text);
    case 'number':
      return how === 'absent' ? 0 : Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, number));
    case 'bigint':
      return how === 'absent' ? 0n : how === 'double' ? value * 2n : BigInt(number) * 1_000n;
    case 'boolean':
      return !value;
    case 'object':
      if (value instanceof Uint8Array) return Buffer.from(textOf(text));
      if (how === 'absent' || value === null) return undefined;
      return isTextMap(value) ? withEntry(value, textOf(text)) : value;
    default:
      return value;
  }
}

const isTextMap = (value: object): boolean => Object.values(value).every((each) => typeof each === 'string');

/** Sets an entry `__proto__` as an own entry. */
const withEntry = (map: object, key: string): object => Object.fromEntries([...Object.entries(map), [key, key]]);
