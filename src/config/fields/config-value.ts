import { own } from '../../kube/text/own.ts';

/** Plain data between a file or a flag and a typed configuration. Durations are milliseconds already. */
export type ConfigValue = null | boolean | number | string | readonly ConfigValue[] | ConfigTree;

export interface ConfigTree {
  readonly [name: string]: ConfigValue;
}

export const isTree = (value: ConfigValue | undefined): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the path of a member of a struct: `authentication.webhook`. */
export const memberPath = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
/** Returns the path of an entry of a map, whose keys may contain dots: `evictionHard["memory.available"]`. */
export const entryPath = (parent: string, key: string): string => `${parent}[${JSON.stringify(key)}]`;
/** Returns the path of an item of a list: `registerWithTaints[0]`. */
export const itemPath = (parent: string, index: number): string => `${parent}[${index}]`;

/** `true` if `path` is `ancestor` or lies within it. */
export const isWithin = (path: string, ancestor: string): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`) || path.startsWith(`${ancestor}[`);

/** Returns the value at a path of struct members (`logging.verbosity`). `undefined` when it is not set. */
export function valueAt(tree: ConfigTree, path: string): ConfigValue | undefined {
  let value: ConfigValue | undefined = tree;
  for (const name of path.split('.')) value = isTree(value) ? own(value, name) : undefined;
  return value;
}

/** Returns a copy of the tree with the value set at a path of struct members. */
export function withValueAt(tree: ConfigTree, path: string, value: ConfigValue): ConfigTree {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...tree, [name]: value };
  const inner = own(tree, name);
  return { ...tree, [name]: withValueAt(isTree(inner) ? inner : {}, rest.join('.'), value) };
}
