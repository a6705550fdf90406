import type { ContainerStatus, Pod } from '../../src/kube/pod.ts';
import type { ContainerEntry, StatusEntry } from './scenario.ts';

type State = NonNullable<ContainerStatus['state']>;

function stateText({ waiting, running, terminated }: State): string {
  if (running !== undefined) return 'running';
  if (terminated !== undefined) return `terminated/${terminated.reason ?? ''}/${terminated.exitCode}`;
  return `waiting/${waiting?.reason ?? ''}`;
}

const messageOf = ({ waiting, terminated }: State): string | undefined =>
  (terminated?.message ?? waiting?.message) || undefined;

const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

function containerEntry(status: ContainerStatus, withResources: boolean): ContainerEntry {
  const { state = {}, lastState = {}, restartCount, ready, started } = status;
  const ended = lastState.terminated !== undefined;
  const entry = {
    state: stateText(state),
    message: messageOf(state),
    last: ended ? stateText(lastState) : undefined,
    lastMessage: ended ? messageOf(lastState) : undefined,
    restarts: restartCount || undefined,
    ready: ready || undefined,
    started,
    ...(withResources && { resources: status.resources, allocated: status.allocatedResources }),
  };
  return given(entry) as ContainerEntry;
}

function containerEntries(
  statuses: readonly ContainerStatus[] | undefined,
  withResources: boolean,
): Readonly<Record<string, ContainerEntry>> | undefined {
  if (statuses === undefined || statuses.length === 0) return undefined;
  return Object.fromEntries(statuses.map((status) => [status.name, containerEntry(status, withResources)]));
}

/** A pod's status as the recordings have it: without times, IDs and what else differs from run to run. */
export function statusEntry({ metadata, status }: Pod, withResources: boolean): StatusEntry {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const { conditions = [] } = status ?? {};
  const texts = conditions.map(({ type, status: is, reason, message }) => [
    type,
    [is, reason, message].filter((part) => part !== undefined && part !== '').join('/'),
  ]);
  const entry = {
    deleting: deletionTimestamp === undefined ? undefined : (deletionGracePeriodSeconds ?? 0),
    phase: status?.phase,
    reason: status?.reason || undefined,
    message: status?.message || undefined,
    ip: status?.podIP ? true : undefined,
    conditions: texts.length === 0 ? undefined : Object.fromEntries(texts),
    init: containerEntries(status?.initContainerStatuses, withResources),
    containers: containerEntries(status?.containerStatuses, withResources),
    ephemeral: containerEntries(status?.ephemeralContainerStatuses, withResources),
  };
  return given(entry) as StatusEntry;
}
