import { isDeepStrictEqual } from 'node:util';
import { own } from '../../kube/text/own.ts';

import type {
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  PodCondition,
  PodStatus,
  ResourceList,
  ResourceRequirements,
} from '../../kube/pod.ts';
import { quantityNano } from '../../kube/quantity.ts';
import { isOwnCondition, isSharedCondition } from './conditions.ts';

/**
 * `true` if two statuses are equal in all that this agent writes. Conditions that only others write are ignored, and so
 * are the times of conditions. Identical objects, the usual case, are recognised at once.
 */
export function sameStatus(a: PodStatus, b: PodStatus): boolean {
  if (a === b) return true;
  return (
    a.phase === b.phase &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.message ?? '') === (b.message ?? '') &&
    a.observedGeneration === b.observedGeneration &&
    a.startTime === b.startTime &&
    a.qosClass === b.qosClass &&
    a.hostIP === b.hostIP &&
    a.podIP === b.podIP &&
    sameIps(a.hostIPs, b.hostIPs) &&
    sameIps(a.podIPs, b.podIPs) &&
    sameConditions(a.conditions, b.conditions) &&
    sameAmounts(a.allocatedResources, b.allocatedResources) &&
    sameResources(a.resources, b.resources) &&
    sameContainers(a.containerStatuses, b.containerStatuses) &&
    sameContainers(a.initContainerStatuses, b.initContainerStatuses) &&
    sameContainers(a.ephemeralContainerStatuses, b.ephemeralContainerStatuses)
  );
}

export function sameContainerStatus(a: ContainerStatus, b: ContainerStatus): boolean {
  if (a === b) return true;
  return (
    a.name === b.name &&
    a.ready === b.ready &&
    a.started === b.started &&
    a.restartCount === b.restartCount &&
    a.image === b.image &&
    a.imageID === b.imageID &&
    a.containerID === b.containerID &&
    sameState(a.state, b.state) &&
    sameState(a.lastState, b.lastState) &&
    sameResources(a.resources, b.resources) &&
    sameAmounts(a.allocatedResources, b.allocatedResources) &&
    same(a.volumeMounts, b.volumeMounts) &&
    same(a.user, b.user)
  );
}

export function sameContainers(
  a: readonly ContainerStatus[] | undefined,
  b: readonly ContainerStatus[] | undefined,
): boolean {
  if (a === b) return true;
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false;
  return a?.every((status, index) => sameContainerStatus(status, b?.[index] ?? status)) ?? true;
}

function sameState(a: ContainerState | undefined, b: ContainerState | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return isEmptyState(a ?? b);
  const [end, otherEnd] = [a.terminated, b.terminated];
  if (!sameEnd(end, otherEnd)) return false;
  return (
    (a.running === undefined) === (b.running === undefined) &&
    a.running?.startedAt === b.running?.startedAt &&
    (a.waiting === undefined) === (b.waiting === undefined) &&
    (a.waiting?.reason ?? '') === (b.waiting?.reason ?? '') &&
    (a.waiting?.message ?? '') === (b.waiting?.message ?? '')
  );
}

/** Unknown times come back from the API server as null. */
function sameEnd(a: ContainerStateTerminated | undefined, b: ContainerStateTerminated | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.exitCode === b.exitCode &&
    (a.signal ?? 0) === (b.signal ?? 0) &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.message ?? '') === (b.message ?? '') &&
    (a.startedAt ?? '') === (b.startedAt ?? '') &&
    (a.finishedAt ?? '') === (b.finishedAt ?? '') &&
    (a.containerID ?? '') === (b.containerID ?? '')
  );
}

/** The API server returns an absent last state as an empty one. */
const isEmptyState = (state: ContainerState | undefined): boolean =>
  state?.running === undefined && state?.waiting === undefined && state?.terminated === undefined;

const same = (a: unknown, b: unknown): boolean => a === b || isDeepStrictEqual(a, b);

function sameResources(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  if (a === b) return true;
  return (
    sameAmounts(a?.limits, b?.limits) && sameAmounts(a?.requests, b?.requests) && same(a?.claims ?? [], b?.claims ?? [])
  );
}

/** `1000m` and `1` are the same amount; the API server writes each in its own canonical form. */
function sameAmounts(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  if (a === b) return true;
  const names = Object.keys(a ?? {});
  if (names.length !== Object.keys(b ?? {}).length) return false;
  return names.every((name) => {
    const [one, other] = [own(a, name), own(b, name)];
    return one === other || (other !== undefined && quantityNano(one) === quantityNano(other));
  });
}

function sameIps(a: readonly { readonly ip: string }[] | undefined, b: typeof a): boolean {
  if (a === b) return true;
  return (a?.length ?? 0) === (b?.length ?? 0) && (a?.every(({ ip }, index) => ip === b?.[index]?.ip) ?? true);
}

function sameConditions(a: readonly PodCondition[] | undefined, b: readonly PodCondition[] | undefined): boolean {
  if (a === b) return true;
  return (
    countOwn(a) === countOwn(b) && (a?.every((condition) => isForeign(condition) || isAmong(condition, b)) ?? true)
  );
}

const isForeign = ({ type }: PodCondition): boolean => !isOwnCondition(type) && !isSharedCondition(type);

function countOwn(conditions: readonly PodCondition[] | undefined): number {
  let own = 0;
  for (const condition of conditions ?? []) if (!isForeign(condition)) own += 1;
  return own;
}

function isAmong(condition: PodCondition, others: readonly PodCondition[] | undefined): boolean {
  const other = others?.find(({ type }) => type === condition.type);
  return (
    other !== undefined &&
    (other === condition ||
      (other.status === condition.status &&
        (other.reason ?? '') === (condition.reason ?? '') &&
        (other.message ?? '') === (condition.message ?? '')))
  );
}
