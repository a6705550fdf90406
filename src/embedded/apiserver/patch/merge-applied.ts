import { entriesOf, hasOwn, keyed, own, put } from '../../../kube/text/own.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { isMembers } from '../store/api-object.ts';
import { listRule } from './merge-keys.ts';
import { itemStep, stepsOf } from './owned-fields.ts';

/** Returns the object merged with the applied one; fields that were not named stay. */
export const mergeApplied = (target: ApiObject, applied: ApiObject): ApiObject =>
  // The members that every object has stay.
  mergeMembers({ kind: target.kind, path: '' }, target, applied) as ApiObject;

interface Place {
  readonly kind: string;
  readonly path: string;
}

function mergeMembers({ kind, path }: Place, target: Members, applied: Members): Members {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(applied)) {
    if (value === undefined || value === null) continue;
    put(merged, name, mergeValue({ kind, path: path === '' ? name : `${path}.${name}` }, own(merged, name), value));
  }
  return merged;
}

function mergeValue(place: Place, target: unknown, applied: unknown): unknown {
  if (isMembers(applied)) return isMembers(target) ? mergeMembers(place, target, applied) : applied;
  const rule = Array.isArray(applied) ? listRule(place.kind, place.path) : undefined;
  if (!rule || !Array.isArray(applied) || !Array.isArray(target)) return applied;
  const current: readonly unknown[] = target;
  const given: readonly unknown[] = applied;
  if (rule.mergeKey === undefined) return [...current, ...given.filter((item) => !current.includes(item))];
  const idOf = (item: unknown): string => (isMembers(item) ? itemStep(item, rule.listKeys) : JSON.stringify(item));
  const byId = new Map(current.map((item) => [idOf(item), item]));
  const at = { kind: place.kind, path: `${place.path}[]` };
  const merged = given.map((item) => {
    const existing = byId.get(idOf(item));
    byId.delete(idOf(item));
    return isMembers(existing) && isMembers(item) ? mergeMembers(at, existing, item) : item;
  });
  // The applier sets the order; items that it does not name follow.
  return [...merged, ...byId.values()];
}

/** Returns the object without the fields at these paths, and without parents that become empty. */
export const withoutFields = (object: ApiObject, paths: readonly string[]): ApiObject =>
  paths.reduce(
    (left, path) =>
      // Members that every object has are never removed.
      remove(left, { steps: stepsOf(path), shape: '', kind: object.kind }) as ApiObject,
    object,
  );

interface Removal {
  readonly steps: readonly string[];
  readonly kind: string;
  readonly shape: string;
}

function remove(value: unknown, { steps, kind, shape }: Removal): unknown {
  const [step = '', ...rest] = steps;
  if (step.startsWith('f:')) {
    if (!isMembers(value)) return value;
    const name = step.slice(2);
    if (!hasOwn(value, name)) return value;
    const others = keyed(entriesOf(value).filter(([member]) => member !== name));
    if (rest.length === 0) return others;
    const below = { steps: rest, kind, shape: shape === '' ? name : `${shape}.${name}` };
    const left = remove(own(value, name), below);
    const isEmpty =
      left === undefined ||
      (Array.isArray(left) && left.length === 0) ||
      (isMembers(left) && Object.keys(left).length === 0);
    return isEmpty ? others : { ...value, [name]: left };
  }
  if (!Array.isArray(value)) return value;
  const items: readonly unknown[] = value;
  if (step.startsWith('v:')) return items.filter((item) => `v:${JSON.stringify(item)}` !== step);
  const keys = listRule(kind, shape)?.listKeys ?? [];
  const isIt = (item: unknown): boolean => isMembers(item) && itemStep(item, keys) === step;
  if (rest.length === 0) return items.filter((item) => !isIt(item));
  return items.map((item) => (isIt(item) ? remove(item, { steps: rest, kind, shape: `${shape}[]` }) : item));
}
