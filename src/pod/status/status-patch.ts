import { own, put } from '../../kube/text/own.ts';
import type { PodCondition, PodStatus, ResourceList } from '../../kube/pod.ts';
import { quantityNano } from '../../kube/quantity.ts';
import { sameContainers } from './same-status.ts';

type Patch = Readonly<Record<string, unknown>>;

/**
 * Returns the strategic-merge patch between two statuses of a pod, which holds only the differences. Conditions are
 * merged by type and addresses by IP; lists of container statuses are replaced whole (Kubernetes API conventions).
 */
export function statusPatch(from: PodStatus, to: PodStatus): Patch {
  return {
    ...changedFields(from, to),
    ...changedConditions(from.conditions ?? [], to.conditions ?? []),
    ...changedIps('hostIPs', from, to),
    ...changedIps('podIPs', from, to),
    ...changedContainers(from, to),
    ...changedWhole(from, to),
  };
}

/** Returns the changes in the resources of the pod as a whole. Maps are merged, so each amount is patched by itself. */
function changedWhole(from: PodStatus, to: PodStatus): Patch {
  if (to.resources === undefined) return {};
  const allocatedResources = changedAmounts(from.allocatedResources, to.allocatedResources);
  const [limits, requests] = (['limits', 'requests'] as const).map((kind) =>
    changedAmounts(from.resources?.[kind], to.resources?.[kind]),
  );
  const resources = { ...(limits && { limits }), ...(requests && { requests }) };
  return {
    ...(allocatedResources && { allocatedResources }),
    ...(Object.keys(resources).length > 0 && { resources }),
  };
}

/** `undefined` when no amount differs. */
function changedAmounts(from: ResourceList = {}, to: ResourceList = {}): Patch | undefined {
  const changed: Record<string, unknown> = {};
  for (const name of Object.keys(from)) if (own(to, name) === undefined) put(changed, name, null);
  for (const [name, amount] of Object.entries(to)) {
    const before = own(from, name);
    if (before === undefined || quantityNano(before) !== quantityNano(amount)) put(changed, name, amount);
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

const FIELDS = [
  'observedGeneration',
  'phase',
  'reason',
  'message',
  'startTime',
  'qosClass',
  'hostIP',
  'podIP',
] as const;

function changedFields(from: PodStatus, to: PodStatus): Patch {
  const changed: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const [before, after] = [from[field] ?? '', to[field] ?? ''];
    if (before !== after) changed[field] = after === '' ? null : after;
  }
  return changed;
}

function changedConditions(from: readonly PodCondition[], to: readonly PodCondition[]): Patch {
  const changed: Patch[] = [];
  for (const condition of to) {
    const before = from.find(({ type }) => type === condition.type);
    if (before === undefined) changed.push({ ...condition });
    else changed.push(...changedCondition(before, condition));
  }
  for (const { type } of from) {
    if (!to.some((condition) => condition.type === type)) changed.push({ $patch: 'delete', type });
  }
  return changed.length === 0 ? {} : { conditions: changed };
}

const CONDITION_FIELDS = ['status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'] as const;

function changedCondition(from: PodCondition, to: PodCondition): readonly Patch[] {
  const changed: Record<string, unknown> = {};
  for (const field of CONDITION_FIELDS) {
    const [before, after] = [from[field] ?? '', to[field] ?? ''];
    if (before !== after) changed[field] = after === '' ? null : after;
  }
  return Object.keys(changed).length === 0 ? [] : [{ type: to.type, ...changed }];
}

function changedIps(list: 'hostIPs' | 'podIPs', from: PodStatus, to: PodStatus): Patch {
  const before = from[list]?.map(({ ip }) => ip) ?? [];
  const after = to[list]?.map(({ ip }) => ip) ?? [];
  if (before.length === after.length && before.every((ip, index) => ip === after[index])) return {};
  const gone = before.filter((ip) => !after.includes(ip)).map((ip) => ({ $patch: 'delete', ip }));
  const come = after.filter((ip) => !before.includes(ip)).map((ip) => ({ ip }));
  return {
    [list]: [...come, ...gone],
    ...(after.length > 1 ? { [`$setElementOrder/${list}`]: after.map((ip) => ({ ip })) } : {}),
  };
}

const CONTAINERS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

function changedContainers(from: PodStatus, to: PodStatus): Patch {
  const changed: Record<string, unknown> = {};
  for (const list of CONTAINERS) {
    // A list that is absent from this agent's status is not removed.
    if (to[list] !== undefined && !sameContainers(from[list], to[list])) changed[list] = to[list];
  }
  return changed;
}
