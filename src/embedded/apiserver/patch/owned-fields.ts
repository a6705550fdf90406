import { hasOwn, own, put } from '../../../kube/text/own.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { isMembers } from '../store/api-object.ts';
import { listRule } from './merge-keys.ts';

/**
 * The fields of an object, as server-side apply names them (KEP-555): `f:<member>`, `k:<keys>` for an item of a
 * list with keys, `v:<value>` for an item of a set. A path is its steps, joined by a character that occurs in none
 * of them.
 */
export type FieldPaths = ReadonlySet<string>;

const STEP = '\u0000';
export const stepsOf = (path: string): readonly string[] => path.split(STEP);
const below = (path: string, step: string): string => (path === '' ? step : `${path}${STEP}${step}`);

/** Members that the server maintains have no owner. */
const SERVERS_OWN: ReadonlySet<string> = new Set(
  [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'managedFields',
  ].map((member) => `metadata.${member}`),
);

/** Every field with its value. In a list with keys, the presence of an item is a field too. */
export function fieldsOf(object: ApiObject): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const { apiVersion: _, kind, ...members } = object;
  addMembers(fields, { kind, path: '', shape: '' }, members);
  return fields;
}

interface Place {
  readonly kind: string;
  readonly path: string;
  /** The same place without keys, by which list rules are found. */
  readonly shape: string;
}

function addMembers(fields: Map<string, unknown>, { kind, path, shape }: Place, members: Members): void {
  for (const [name, value] of Object.entries(members)) {
    const at = shape === '' ? name : `${shape}.${name}`;
    if (value === undefined || value === null || SERVERS_OWN.has(at)) continue;
    addValue(fields, { kind, path: below(path, `f:${name}`), shape: at }, value);
  }
}

function addValue(fields: Map<string, unknown>, place: Place, value: unknown): void {
  if (isMembers(value)) {
    if (Object.keys(value).length === 0) fields.set(place.path, value);
    else addMembers(fields, place, value);
    return;
  }
  const rule = Array.isArray(value) ? listRule(place.kind, place.shape) : undefined;
  if (!rule || !Array.isArray(value)) return void fields.set(place.path, value);
  const { kind, path, shape } = place;
  const items: readonly unknown[] = value;
  for (const item of items) {
    if (rule.mergeKey === undefined) fields.set(below(path, `v:${JSON.stringify(item)}`), item);
    else if (isMembers(item)) {
      const at = below(path, itemStep(item, rule.listKeys));
      fields.set(at, true);
      addMembers(fields, { kind, path: at, shape: `${shape}[]` }, item);
    }
  }
}

/** Default values of key members that may be omitted. */
const keyDefaults: Readonly<Record<string, string>> = { protocol: 'TCP' };

export function itemStep(item: Members, keys: readonly string[]): string {
  const named = [...keys].sort().map((key) => [key, own(item, key) ?? own(keyDefaults, key)] as const);
  return `k:${JSON.stringify(Object.fromEntries(named))}`;
}

/** Returns the paths as `fieldsV1`: nested, with `.` for an owned place that has owned places below it. */
export function toFieldsV1(paths: Iterable<string>): object {
  const root: Record<string, unknown> = {};
  for (const path of [...paths].sort()) {
    let at = root;
    for (const step of stepsOf(path)) {
      if (!hasOwn(at, step)) put(at, step, {});
      // Every member of the tree is a tree.
      at = own(at, step) as Record<string, unknown>;
    }
    if (stepsOf(path).at(-1)?.startsWith('k:')) at['.'] = {};
  }
  return root;
}

export function fromFieldsV1(fields: unknown): Set<string> {
  const paths = new Set<string>();
  const walk = (node: unknown, path: string): void => {
    if (!isMembers(node)) return;
    const steps = Object.keys(node);
    if (path !== '' && (steps.length === 0 || steps.includes('.'))) paths.add(path);
    for (const step of steps) if (step !== '.') walk(own(node, step), below(path, step));
  };
  walk(fields, '');
  return paths;
}

/** `.spec.containers[name="main"].image`: a path in messages. */
export function pathText(path: string): string {
  return stepsOf(path)
    .map((step) => {
      if (step.startsWith('f:')) return `.${step.slice(2)}`;
      if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
      // `itemStep` made this step, of the keys of an item.
      const keys = JSON.parse(step.slice(2)) as Members;
      const named = Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return `[${named.join(',')}]`;
    })
    .join('');
}

/** `true` if `path` is that place or below it. */
export const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}${STEP}`);
