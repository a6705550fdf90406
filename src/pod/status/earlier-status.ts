import type { ContainerState, ContainerStatus, Pod, PodStatus } from '../../kube/pod.ts';
import { isTerminalPhase } from './api-status.ts';
import { LOST_CONTAINER } from './container-state.ts';

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

/**
 * Returns a pod's status that continues an earlier one, which became known only afterwards. Restart counts go on from
 * the earlier ones, and the end of the earlier instance is the last state of a container without any.
 */
export const continuing = (status: PodStatus, earlier: PodStatus): PodStatus =>
  withContainers(status, earlier, (own, before) => {
    const isSame = own.containerID === undefined || own.containerID === before.containerID;
    const hasRun = before.state?.running !== undefined || before.state?.terminated !== undefined;
    const [restarts, lastState] =
      isSame || !hasRun ? [before.restartCount, before.lastState] : [before.restartCount + 1, endOf(before)];
    return notBelow(own, { restartCount: restarts, lastState });
  });

const endOf = ({ state }: ContainerStatus): ContainerState =>
  state?.terminated === undefined ? { terminated: LOST_CONTAINER } : state;

/** Returns the status for an object that holds another one: no restart count is lowered, no last state taken back. */
export const notLowering = (own: PodStatus, held: PodStatus): PodStatus => withContainers(own, held, notBelow);

/** Like `notLowering`, for the pod as a whole: a terminal phase stays too, with its reason. */
export function neverBack(next: PodStatus, known: PodStatus): PodStatus {
  const status = notLowering(next, known);
  if (!isTerminalPhase(known.phase) || isTerminalPhase(next.phase)) return status;
  const { phase, reason, message } = known;
  return { ...status, phase, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

function notBelow(
  own: ContainerStatus,
  { restartCount, lastState }: { readonly restartCount: number; readonly lastState?: ContainerState | undefined },
): ContainerStatus {
  const keepsLast = own.lastState?.terminated === undefined && lastState?.terminated !== undefined;
  if (own.restartCount >= restartCount && !keepsLast) return own;
  return { ...own, restartCount: Math.max(own.restartCount, restartCount), ...(keepsLast && { lastState }) };
}

/** Unchanged statuses and lists are the very objects of `status`. */
function withContainers(
  status: PodStatus,
  other: PodStatus,
  merge: (own: ContainerStatus, other: ContainerStatus) => ContainerStatus,
): PodStatus {
  let merged = status;
  for (const list of LISTS) {
    const own = status[list];
    const before = other[list];
    if (own === undefined || before === undefined || own === before) continue;
    // Nearly always nothing changes, and then nothing is copied.
    const mergedOf = (each: ContainerStatus): ContainerStatus => {
      const match = before.find(({ name }) => name === each.name);
      return match === undefined || match === each ? each : merge(each, match);
    };
    if (own.some((each) => mergedOf(each) !== each)) merged = { ...merged, [list]: own.map(mergedOf) };
  }
  return merged;
}

/**
 * `true` if the pod's object shows that the pod ended by itself: its containers are done, or its deadline has passed.
 * Such a pod never runs again. A terminal phase alone is no evidence: the node may have rejected or ended the pod, and
 * other clients mark pods of lost nodes as failed.
 */
export function hasEndedByItself({ spec, status = {} }: Pod): boolean {
  const { phase, reason = '', containerStatuses = [] } = status;
  if (!isTerminalPhase(phase)) return false;
  if (reason !== '') return reason === 'DeadlineExceeded';
  const mayEnd = (spec.restartPolicy ?? 'Always') !== 'Always';
  return (
    mayEnd && containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined)
  );
}
