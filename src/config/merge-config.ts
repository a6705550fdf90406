import type { Origin, Origins } from './check/config-problem.ts';
import type { ConfigTree, ConfigValue } from './fields/config-value.ts';
import { isTree, isWithin } from './fields/config-value.ts';

/** A partial configuration and where each of its values was written. */
export interface WrittenConfig {
  readonly tree: ConfigTree;
  readonly origins: Origins;
}

/** A JSON merge patch (RFC 7396): objects and maps merge by key, lists are replaced, `null` takes back what was set. */
function patched(base: ConfigTree, patch: ConfigTree): ConfigTree {
  const merged = new Map<string, ConfigValue>(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isTree(value) ? patched(isTree(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** What a drop-in file makes of the configuration before it. */
export function mergeDropIn(base: WrittenConfig, dropIn: WrittenConfig): WrittenConfig {
  const origins = new Map<string, Origin>();
  const replacedLists = [...dropIn.origins.keys()].filter((path) => dropIn.origins.has(`${path}[0]`));
  for (const [path, origin] of base.origins) {
    if (!replacedLists.some((list) => isWithin(path, list))) origins.set(path, origin);
  }
  for (const [path, origin] of dropIn.origins) origins.set(path, origin);
  return { tree: patched(base.tree, dropIn.tree), origins };
}
