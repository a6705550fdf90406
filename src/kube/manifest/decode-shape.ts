import { assertNever } from '../text/assert-never.ts';
import type { FieldPath, FieldProblem } from '../validation/field-path.ts';
import { own, put } from '../text/own.ts';
import { canonicalQuantity, parseQuantity } from '../quantity.ts';

/**
 * The shape of an API type, as plain data. Decoding by a shape does what the API machinery's decoder does when it is
 * not strict. Unknown members are left out, `null` counts as absent, and a value of the wrong type is an error.
 */
export type Shape =
  | 'string'
  | 'bool'
  | 'int'
  | 'quantity'
  | 'int-or-string'
  /** Kept unchanged: types that this agent passes on without reading them. */
  | 'any'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | ObjectShape;

type Members = Readonly<Record<string, Shape>>;

/** Only the compiler sees it: the members by name, which a map does not keep in its type. */
declare const members: unique symbol;

export interface ObjectShape<Of extends Members = Members> {
  readonly object: ReadonlyMap<string, Shape>;
  /** Members without which the agent cannot read the object. Only `shapeProblem` requires them. */
  readonly required?: readonly string[];
  readonly [members]?: Of;
}

/** The members of an object's shape by name, for comparisons with a type. */
export type MembersOf<S> = S extends { readonly [members]?: infer Of } ? NonNullable<Of> : never;

export const list = <const Of extends Shape>(of: Of): { readonly list: Of } => ({ list: of });
export const map = <const Of extends Shape>(of: Of): { readonly map: Of } => ({ map: of });
export const object = <const Of extends Members>(of: Of, required?: readonly string[]): ObjectShape<Of> => ({
  object: new Map(Object.entries(of)),
  ...(required !== undefined && { required }),
});

interface Decoding {
  readonly problems: FieldProblem[];
  /** Pushed and popped during the descent, and copied only for a problem. */
  readonly path: (string | number)[];
}

type Decoded = { readonly value: unknown; readonly problems: readonly FieldProblem[] };

/** Decodes a parsed document. The value is complete only when there are no problems. */
export function decodeShape(shape: Shape, value: unknown): Decoded {
  const decoding: Decoding = { problems: [], path: [] };
  return { value: decode(decoding, shape, value), problems: decoding.problems };
}

function decode(decoding: Decoding, shape: Shape, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof shape === 'string') return decodeScalar(decoding, shape, value);
  if ('list' in shape) return decodeList(decoding, shape.list, value);
  if ('map' in shape) return decodeMap(decoding, shape.map, value);
  return decodeObject(decoding, shape.object, value);
}

function decodeScalar(decoding: Decoding, shape: Extract<Shape, string>, value: unknown): unknown {
  switch (shape) {
    case 'any':
      return value;
    case 'string':
      if (typeof value === 'string') return value;
      return refuse(decoding, value, `must be text${needsQuotes(value) ? ': put it in quotes' : ''}`);
    case 'bool':
      return typeof value === 'boolean' ? value : refuse(decoding, value, 'must be true or false');
    case 'int':
      return Number.isSafeInteger(value) ? value : refuse(decoding, value, 'must be a whole number');
    case 'int-or-string':
      if (typeof value === 'string' || Number.isSafeInteger(value)) return value;
      return refuse(decoding, value, 'must be a whole number or text');
    case 'quantity': {
      if (typeof value !== 'string' && typeof value !== 'number') return refuse(decoding, value, 'must be an amount');
      const text = typeof value === 'string' ? value.trim() : value;
      const parsed = parseQuantity(text);
      return parsed.ok ? canonicalQuantity(text) : refuse(decoding, value, parsed.message);
    }
    default:
      return assertNever(shape, 'shape');
  }
}

const needsQuotes = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';

function decodeList(decoding: Decoding, of: Shape, value: unknown): unknown {
  if (!Array.isArray(value)) return refuse(decoding, value, 'must be a list');
  const items: readonly unknown[] = value;
  return items.map((item, index) => {
    decoding.path.push(index);
    const decoded = item === null ? refuse(decoding, item, 'must not be empty') : decode(decoding, of, item);
    decoding.path.pop();
    return decoded;
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function decodeMap(decoding: Decoding, of: Shape, value: unknown): unknown {
  if (!isRecord(value)) return refuse(decoding, value, 'must be a mapping');
  const decoded: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    decoding.path.push(key);
    const member = decode(decoding, of, own(value, key));
    // A null in a map of text becomes empty text. Elsewhere the key is left out.
    if (member !== undefined) put(decoded, key, member);
    else if (of === 'string' && own(value, key) === null) put(decoded, key, '');
    decoding.path.pop();
  }
  return decoded;
}

function decodeObject(decoding: Decoding, members: ReadonlyMap<string, Shape>, value: unknown): unknown {
  if (!isRecord(value)) return refuse(decoding, value, 'must be a mapping');
  const decoded: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const shape = members.get(key);
    if (shape === undefined) continue;
    decoding.path.push(key);
    const member = decode(decoding, shape, own(value, key));
    if (member !== undefined) put(decoded, key, member);
    decoding.path.pop();
  }
  return decoded;
}

function refuse(decoding: Decoding, value: unknown, message: string): undefined {
  const path: FieldPath = [...decoding.path];
  decoding.problems.push({ path, value, message });
  return undefined;
}
