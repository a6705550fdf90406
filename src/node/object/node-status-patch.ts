import { canonicalJson } from '../../kube/text/canonical-json.ts';
import type { NodeCondition, NodeStatus } from '../../kube/node.ts';
import { hasOwn, own, put } from '../../kube/text/own.ts';
import type { ResourceList } from '../../kube/pod.ts';
import { canonicalQuantity } from '../../kube/quantity.ts';

/**
 * Returns the strategic merge patch between two statuses; `undefined` when they are equal. It contains only changes, so
 * fields of other writers are never touched.
 */
export function nodeStatusPatch(before: NodeStatus, after: NodeStatus): object | undefined {
  const patch: Record<string, unknown> = {};
  // Both are statuses, so their keys are those of the type.
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof NodeStatus>) {
    const change = changeOf(key, before, after);
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `true` if two statuses have the same content, heartbeat times aside. */
export const saysTheSame = (before: NodeStatus, after: NodeStatus): boolean =>
  nodeStatusPatch(withoutHeartbeats(before), withoutHeartbeats(after)) === undefined;

const withoutHeartbeats = (status: NodeStatus): NodeStatus =>
  status.conditions === undefined
    ? status
    : { ...status, conditions: status.conditions.map((condition) => ({ ...condition, lastHeartbeatTime: null })) };

const same = (one: unknown, other: unknown): boolean => canonicalJson(one ?? null) === canonicalJson(other ?? null);

function changeOf(key: keyof NodeStatus, before: NodeStatus, after: NodeStatus): unknown {
  switch (key) {
    case 'capacity':
    case 'allocatable':
      return resourceChange(before[key] ?? {}, after[key] ?? {});
    case 'conditions':
      return conditionChange(before.conditions ?? [], after.conditions ?? []);
    case 'addresses':
      if (same(before.addresses, after.addresses)) return undefined;
      // Two addresses of one type would become one if they were merged by type.
      return [...(after.addresses ?? []), { $patch: 'replace' }];
    default:
      return same(before[key], after[key]) ? undefined : replaced(before[key], after[key]);
  }
}

/** Lists are replaced as a whole. Objects are merged by member, so removed members must be named. */
function replaced(before: unknown, after: unknown): unknown {
  if (after === undefined) return null;
  if (!isObject(before) || !isObject(after)) return after;
  const gone = Object.keys(before).filter((name) => !hasOwn(after, name));
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function resourceChange(before: ResourceList, after: ResourceList): object | undefined {
  const changed: Record<string, string | number | null> = {};
  for (const [resource, amount] of Object.entries(after)) {
    const former = own(before, resource);
    if (former === undefined || canonicalQuantity(former) !== canonicalQuantity(amount)) put(changed, resource, amount);
  }
  for (const resource of Object.keys(before)) if (!hasOwn(after, resource)) put(changed, resource, null);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function conditionChange(
  before: readonly NodeCondition[],
  after: readonly NodeCondition[],
): readonly NodeCondition[] | undefined {
  const former = new Map(before.map((condition) => [condition.type, condition]));
  const changed = after.filter((condition) => !same(former.get(condition.type), condition));
  return changed.length === 0 ? undefined : changed;
}
