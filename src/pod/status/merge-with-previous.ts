import type { WallMs } from '../../actor/clock.ts';
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { apiTime } from '../values/api-time.ts';
import { isOwnCondition } from './conditions.ts';
import { isRestartedAfter, mayRestartAllContainers } from '../sync/should-restart.ts';
import { sameContainerStatus, sameStatus } from './same-status.ts';
import { withShortMessages } from './termination-message-limit.ts';

export interface StatusMergeInput {
  readonly pod: Pod;
  /** The pod's cached status; without one the API's is used. */
  readonly cached: PodStatus | undefined;
  readonly next: PodStatus;
  readonly now: WallMs;
  /** `true` if the status must reach the API even without a change: the pod is being deleted, or has ended. */
  readonly forced?: boolean;
}

export type StatusMerge =
  /** The status would take back a container's end. No part of it may be used. */
  | { readonly type: 'rejected'; readonly message: string }
  | { readonly type: 'unchanged'; readonly status: PodStatus }
  | { readonly type: 'changed'; readonly status: PodStatus };

/**
 * Merges a new status into the cache. Rejects impossible transitions, keeps the times of unchanged parts, and returns
 * whether anything changed. Unchanged parts are the very objects of the cached status.
 */
export function mergeStatus({ pod, cached, next, now, forced }: StatusMergeInput): StatusMerge {
  const old = cached ?? pod.status ?? {};
  const message = illegalTransition(pod, old, next);
  if (message !== undefined) return { type: 'rejected', message };

  const generation = Math.max(old.observedGeneration ?? 0, next.observedGeneration ?? 0);
  const status: PodStatus = {
    ...next,
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    startTime: old.startTime ?? next.startTime ?? apiTime(now),
    ...(next.conditions === undefined ? {} : { conditions: timedConditions(next.conditions, old.conditions, now) }),
    ...containerLists(pod, next, old),
  };
  if (cached !== undefined && forced !== true && sameStatus(cached, status)) {
    return { type: 'unchanged', status: cached };
  }
  return { type: 'changed', status };
}

/** An ended container may only run again where a rule allows it. A broken observation must not reach users. */
function illegalTransition(pod: Pod, old: PodStatus, next: PodStatus): string | undefined {
  const { spec } = pod;
  if ((spec.restartPolicy ?? 'Always') === 'Always' || mayRestartAllContainers(spec)) return undefined;
  const initContainers = (spec.initContainers ?? []).filter((container) => !isSidecar(container));
  return (
    revived(pod, spec.containers, { old: old.containerStatuses, next: next.containerStatuses }) ??
    revived(pod, initContainers, { old: old.initContainerStatuses, next: next.initContainerStatuses })
  );
}

function revived(
  { spec }: Pod,
  containers: readonly Container[],
  statuses: Readonly<Record<'old' | 'next', readonly ContainerStatus[] | undefined>>,
): string | undefined {
  for (const { name, state } of statuses.old ?? []) {
    if (state?.terminated === undefined) continue;
    const container = containers.find((each) => each.name === name);
    if (container === undefined || isRestartedAfter(spec, container, state.terminated.exitCode)) continue;
    const after = statuses.next?.find((status) => status.name === name);
    if (after !== undefined && after.state?.terminated === undefined) {
      return `terminated container ${name} attempted illegal transition to non-terminated state`;
    }
  }
  return undefined;
}

function timedConditions(
  conditions: readonly PodCondition[],
  old: readonly PodCondition[] | undefined,
  now: WallMs,
): PodCondition[] {
  return conditions.map((condition) => {
    const before = old?.find(({ type }) => type === condition.type);
    const isUnmoved = before?.status === condition.status;
    if (isUnmoved && sameCondition(before, condition)) return before;
    const kept = isUnmoved ? before.lastTransitionTime : undefined;
    // Foreign and carried conditions have times of their own.
    const own = isOwnCondition(condition.type) ? undefined : condition.lastTransitionTime;
    return { ...condition, lastTransitionTime: kept ?? own ?? apiTime(now) };
  });
}

const sameCondition = (before: PodCondition, after: PodCondition): boolean =>
  before === after ||
  (before.lastTransitionTime !== undefined &&
    before.reason === after.reason &&
    before.message === after.message &&
    before.observedGeneration === after.observedGeneration &&
    isOwnCondition(after.type));

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

function containerLists(pod: Pod, next: PodStatus, old: PodStatus): Pick<PodStatus, (typeof LISTS)[number]> {
  const { spec } = pod;
  const count = spec.containers.length + (spec.initContainers?.length ?? 0) + (spec.ephemeralContainers?.length ?? 0);
  const lists: { -readonly [List in (typeof LISTS)[number]]?: readonly ContainerStatus[] } = {};
  for (const list of LISTS) {
    const statuses = next[list];
    if (statuses !== undefined)
      lists[list] = statuses.map((status) => kept(withShortMessages(status, count), old[list]));
  }
  return lists;
}

function kept(status: ContainerStatus, old: readonly ContainerStatus[] | undefined): ContainerStatus {
  const before = old?.find(({ name }) => name === status.name);
  return before !== undefined && sameContainerStatus(before, status) ? before : status;
}
