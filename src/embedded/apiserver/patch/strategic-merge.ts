import { own, put } from '../../../kube/text/own.ts';
import type { Members } from '../store/api-object.ts';
import { isMembers } from '../store/api-object.ts';
import type { ListRule } from './merge-keys.ts';
import { listRule } from './merge-keys.ts';
import { badRequest, unfitPatch, unreasoned } from '../store/refusal.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_PREFIX = '$deleteFromPrimitiveList/';
const ORDER_PREFIX = '$setElementOrder/';

/**
 * A strategic merge patch: like a JSON merge patch, but the items of some lists are merged too, each found by its
 * key. Directives: `$patch: replace | delete | merge`, `$retainKeys`, `$deleteFromPrimitiveList/<list>` and
 * `$setElementOrder/<list>` (concept: update API objects in place).
 */
export function strategicMerge(kind: string, target: unknown, patch: Members): Members {
  return mergeMembers({ kind, path: '' }, isMembers(target) ? target : {}, patch);
}

interface Place {
  readonly kind: string;
  readonly path: string;
}

const below = ({ kind, path }: Place, name: string): Place => ({ kind, path: path === '' ? name : `${path}.${name}` });
const items = ({ kind, path }: Place): Place => ({ kind, path: `${path}[]` });

function mergeMembers(place: Place, target: Members, patch: Members): Members {
  const directive = patch[PATCH];
  const { [PATCH]: _, ...rest } = patch;
  if (directive === 'replace') return withoutDirectives(rest);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`Invalid patch type: ${JSON.stringify(directive)}`);

  const merged: Record<string, unknown> = retained(target, patch[RETAIN_KEYS]);
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith('$')) continue;
    const at = below(place, name);
    if (value === null) delete merged[name];
    else if (Array.isArray(value)) put(merged, name, mergeList(at, own(merged, name), value));
    else if (Array.isArray(own(merged, name))) throw unfitPatch(`${JSON.stringify(value)}: ${at.path} is a list`);
    else if (isMembers(value)) {
      const current = own(merged, name);
      if (value[PATCH] === 'delete') delete merged[name];
      else put(merged, name, mergeMembers(at, isMembers(current) ? current : {}, value));
    } else put(merged, name, value);
  }
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith(DELETE_PREFIX)) removeValues(merged, name.slice(DELETE_PREFIX.length), value);
  }
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith(ORDER_PREFIX)) setOrder(below(place, name.slice(ORDER_PREFIX.length)), merged, value);
  }
  return merged;
}

function retained(target: Members, keys: unknown): Record<string, unknown> {
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([name]) => keys.includes(name)));
}

function removeValues(merged: Record<string, unknown>, name: string, values: unknown): void {
  const current = own(merged, name);
  if (!Array.isArray(current) || !Array.isArray(values)) return;
  put(
    merged,
    name,
    current.filter((value) => !values.includes(value)),
  );
}

function mergeList(place: Place, target: unknown, patch: readonly unknown[]): readonly unknown[] {
  const rule = listRule(place.kind, place.path);
  const current: readonly unknown[] = Array.isArray(target) ? target : [];
  if (rule === undefined) return patch.filter((item) => !isDirective(item)).map(withoutNested);
  if (rule.mergeKey === undefined) return [...current, ...patch.filter((item) => !current.includes(item))];
  return mergeItems(place, { current, patch, rule, key: rule.mergeKey });
}

const isDirective = (item: unknown): boolean =>
  isMembers(item) && item[PATCH] !== undefined && Object.keys(item).length === 1;

interface ItemMerge {
  readonly current: readonly unknown[];
  readonly patch: readonly unknown[];
  readonly rule: ListRule;
  readonly key: string;
}

function mergeItems(place: Place, { current, patch, key }: ItemMerge): readonly unknown[] {
  const given = patch.filter(isMembers);
  if (given.some((item) => item[PATCH] === 'replace')) {
    return given.filter((item) => !isDirective(item) && item[PATCH] !== 'delete').map(withoutDirectives);
  }
  const merged = [...current];
  for (const item of given) {
    if (own(item, key) === undefined) {
      throw unreasoned(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const index = merged.findIndex((each) => isMembers(each) && own(each, key) === own(item, key));
    const existing = merged[index];
    if (item[PATCH] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
    } else if (isMembers(existing)) {
      merged[index] = mergeMembers(items(place), existing, item);
    } else {
      merged.push(mergeMembers(items(place), {}, item));
    }
  }
  return merged;
}

/** Puts the named items in the given order; other items stay before the items that they preceded. */
function setOrder(place: Place, merged: Record<string, unknown>, order: unknown): void {
  const name = place.path.slice(place.path.lastIndexOf('.') + 1);
  const current = own(merged, name);
  if (!Array.isArray(current) || !Array.isArray(order)) return;
  const key = listRule(place.kind, place.path)?.mergeKey;
  const idOf = (item: unknown): unknown => (key !== undefined && isMembers(item) ? own(item, key) : item);
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const ranked = current.filter((item) => rank.has(idOf(item)));
  ranked.sort((one, other) => (rank.get(idOf(one)) ?? 0) - (rank.get(idOf(other)) ?? 0));
  // Items that only the server has keep their places; the ranked items fill the rest in their order.
  put(
    merged,
    name,
    current.map((item) => (rank.has(idOf(item)) ? ranked.shift() : item)),
  );
}

const withoutNested = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => !isDirective(item)).map(withoutNested);
  return isMembers(value) ? withoutDirectives(value) : value;
};

function withoutDirectives(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name, value]) => !name.startsWith('$') && value !== null)
      .map(([name, value]) => [name, withoutNested(value)]),
  );
}
