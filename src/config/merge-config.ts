import type { Origin, Origins } from './check/config-problem.ts';
import type { ConfigTree, ConfigValue } from './fields/config-value.ts';
import { isTree, isWithin } from './fields/config-value.ts';

/** A partial configuration with the origin of each of its values. */
export interface WrittenConfig {
  readonly tree: ConfigTree;
  readonly origins: Origins;
}

/**
 * Applies a JSON merge patch (RFC 7396): objects and maps merge by key, lists are replaced, `null` removes an earlier
 * value.
 */
function patched(base: ConfigTree, patch: ConfigTree): ConfigTree {
  const merged = new Map<string, ConfigValue>(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isTree(value) ? patched(isTree(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Returns the configuration with a drop-in file applied to it. */
export function mergeDropIn(base: WrittenConfig, dropIn: WrittenConfig): WrittenConfig {
  const origins = new Map<string, Origin>();
  const replacedLists = [...dropIn.origins.keys()].filter((path) => dropIn.origins.has(`${path}[0]`));
  for (const [path, origin] of base.origins) {
    if (!replacedLists.some((list) => isWithin(path, list))) origins.set(path, origin);
  }
  for (const [path, origin] of dropIn.origins) origins.set(path, origin);
  return { tree: patched(base.tree, dropIn.tree), origins };
}
