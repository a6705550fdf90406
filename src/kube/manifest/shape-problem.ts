import { own } from '../text/own.ts';
import { assertNever } from '../text/assert-never.ts';
import type { Shape } from './decode-shape.ts';
import type { FieldProblem } from '../validation/field-path.ts';
import { parseQuantity } from '../quantity.ts';

/**
 * Returns the first place where a parsed object deviates from its shape; `undefined` when it deviates nowhere.
 *
 * Copies nothing, because an API server sends such objects by the thousand. `null` counts as absent in an object or a
 * map, and is a problem in a list. Members that the shape does not name are skipped, because no code reads them.
 */
export function shapeProblem(shape: Shape, value: unknown): FieldProblem | undefined {
  const path: (string | number)[] = [];
  const found = problemIn(shape, value, path);
  return found === undefined ? undefined : { path: path.toReversed(), ...found };
}

type Found = Omit<FieldProblem, 'path'>;

/** Adds the path of a problem innermost first, and no path when there is no problem. */
function problemIn(shape: Shape, value: unknown, path: (string | number)[]): Found | undefined {
  if (typeof shape === 'string') return problemInScalar(shape, value);
  if ('list' in shape) return problemInList(shape.list, value, path);
  if (!isRecord(value)) return { value, message: 'must be a mapping' };
  return 'map' in shape ? problemInMap(shape.map, value, path) : problemInObject(shape, value, path);
}

function problemInScalar(shape: Extract<Shape, string>, value: unknown): Found | undefined {
  switch (shape) {
    case 'any':
      return undefined;
    case 'string':
      return typeof value === 'string' ? undefined : { value, message: 'must be text' };
    case 'bool':
      return typeof value === 'boolean' ? undefined : { value, message: 'must be true or false' };
    case 'int':
      return Number.isSafeInteger(value) ? undefined : { value, message: 'must be a whole number' };
    case 'int-or-string':
      return typeof value === 'string' || Number.isSafeInteger(value)
        ? undefined
        : { value, message: 'must be a whole number or text' };
    case 'quantity': {
      if (typeof value !== 'string' && typeof value !== 'number') return { value, message: 'must be an amount' };
      // The longest amount that a server writes has some thirty characters.
      if (typeof value === 'string' && value.length > 64) return { value, message: 'is too long for an amount' };
      const parsed = parseQuantity(value);
      return parsed.ok ? undefined : { value, message: parsed.message };
    }
    default:
      return assertNever(shape, 'shape');
  }
}

function problemInList(of: Shape, value: unknown, path: (string | number)[]): Found | undefined {
  if (!Array.isArray(value)) return { value, message: 'must be a list' };
  const items: readonly unknown[] = value;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const found =
      item === null || item === undefined ? { value: item, message: 'must not be empty' } : problemIn(of, item, path);
    if (found === undefined) continue;
    path.push(index);
    return found;
  }
  return undefined;
}

function problemInMap(of: Shape, value: Fields, path: (string | number)[]): Found | undefined {
  for (const key in value) {
    const member = own(value, key);
    if (member === null || member === undefined) continue;
    const found = problemIn(of, member, path);
    if (found === undefined) continue;
    path.push(key);
    return found;
  }
  return undefined;
}

function problemInObject(
  { object: members, required }: Extract<Shape, { readonly object: unknown }>,
  value: Fields,
  path: (string | number)[],
): Found | undefined {
  for (const key in value) {
    const shape = members.get(key);
    if (shape === undefined) continue;
    const member = own(value, key);
    if (member === null || member === undefined) continue;
    const found = problemIn(shape, member, path);
    if (found === undefined) continue;
    path.push(key);
    return found;
  }
  for (const key of required ?? []) {
    const member = own(value, key);
    if (member !== null && member !== undefined) continue;
    path.push(key);
    return { message: 'is required' };
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
