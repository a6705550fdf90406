import * as fc from 'fast-check';
import { hostileKey, hostileValue } from './hostile-values.ts';
import { valueOf, type Recipe } from './recipe.ts';

export type Path = readonly (string | number)[];

/** One change to a valid object. The change names its full place, so that a kept case can be read. */
export type Mutation =
  | { readonly set: Path; readonly to: Recipe }
  | { readonly remove: Path }
  /** The value moves to another key of the same object. */
  | { readonly rename: Path; readonly to: string }
  | { readonly add: Path; readonly key: string; readonly value: Recipe }
  | { readonly append: Path; readonly value: Recipe };

/** A valid object, and its changes. */
export interface Mutated {
  readonly base: string;
  readonly changes: readonly Mutation[];
}

/** One to four changes to one of the objects. */
export function mutationsOf(bases: Readonly<Record<string, Recipe>>, most = 4): fc.Arbitrary<Mutated> {
  const names = Object.keys(bases);
  return fc.constantFrom(...names).chain((base) => {
    const paths = pathsOf(bases[base] ?? null);
    return fc.record({
      base: fc.constant(base),
      changes: fc.array(mutationAt(paths), { minLength: 1, maxLength: most }),
    });
  });
}

function mutationAt(paths: readonly Path[]): fc.Arbitrary<Mutation> {
  const anywhere = fc.constantFrom(...paths);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ set: anywhere, to: hostileValue }) },
    { weight: 2, arbitrary: fc.record({ remove: anywhere }) },
    { weight: 1, arbitrary: fc.record({ rename: anywhere, to: hostileKey }) },
    { weight: 2, arbitrary: fc.record({ add: anywhere, key: hostileKey, value: hostileValue }) },
    { weight: 1, arbitrary: fc.record({ append: anywhere, value: hostileValue }) },
  );
}

/** Every place in a value, the value itself first. */
export function pathsOf(value: Recipe, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value)
    ? value.flatMap((item: Recipe, index) => pathsOf(item, [...at, index]))
    : Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]));
  return [at, ...inner];
}

/** The object with all its changes. A change whose place no longer exists has no effect. */
export function applyMutations(bases: Readonly<Record<string, Recipe>>, { base, changes }: Mutated): Recipe {
  return changes.reduce<Recipe>(applied, (Object.hasOwn(bases, base) ? bases[base] : undefined) ?? null);
}

function applied(root: Recipe, mutation: Mutation): Recipe {
  if ('set' in mutation) return changed(root, mutation.set, () => mutation.to);
  if ('remove' in mutation) return changed(root, mutation.remove, () => undefined);
  if ('rename' in mutation) {
    const { rename, to } = mutation;
    const key = rename.at(-1);
    return changed(root, rename.slice(0, -1), (parent) => {
      if (!isObject(parent) || typeof key !== 'string' || !Object.hasOwn(parent, key)) return parent;
      return objectOf(Object.entries(parent).map(([each, value]) => [each === key ? to : each, value]));
    });
  }
  if ('add' in mutation) {
    const { add, key, value } = mutation;
    return changed(root, add, (at) => (isObject(at) ? objectOf([...Object.entries(at), [key, value]]) : at));
  }
  return changed(root, mutation.append, (at) => (Array.isArray(at) ? [...at, mutation.value] : at));
}

type Change = (value: Recipe) => Recipe | undefined;

function changed(value: Recipe, path: Path, change: Change): Recipe {
  const [step, ...rest] = path;
  if (step === undefined) return change(value) ?? null;
  if (Array.isArray(value)) {
    return value.flatMap((item: Recipe, index) => (index === step ? changedItem(item, rest, change) : [item]));
  }
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value).flatMap(([key, item]): [string, Recipe][] =>
      key === step ? changedItem(item, rest, change).map((made) => [key, made]) : [[key, item]],
    ),
  );
}

function changedItem(item: Recipe, rest: Path, change: Change): readonly Recipe[] {
  if (rest.length > 0) return [changed(item, rest, change)];
  const made = change(item);
  return made === undefined ? [] : [made];
}

const isObject = (value: Recipe): value is { readonly [key: string]: Recipe } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets a key `__proto__` as an own key. */
const objectOf = (entries: readonly (readonly [string, Recipe])[]): Recipe => Object.fromEntries(entries);

/** Returns the changed object as a JSON parser returns it. */
export const mutatedValue = (bases: Readonly<Record<string, Recipe>>, mutated: Mutated): unknown =>
  valueOf(applyMutations(bases, mutated));
