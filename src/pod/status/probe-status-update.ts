import type { ContainerId } from '../../kube/ids.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../kube/pod.ts';
import { readinessConditions } from './conditions.ts';
import { idOfContainer } from '../values/probe-readiness.ts';

export interface ProbeStatusUpdate {
  readonly pod: Pod;
  readonly status: PodStatus;
  readonly id: ContainerId;
}

/**
 * Returns the status after a readiness result, with new `Ready` and `ContainersReady`. `undefined` when the result
 * changes nothing, or when the status does not show the container (any more).
 */
export function withReadiness(update: ProbeStatusUpdate, ready: boolean): PodStatus | undefined {
  const changed = withFlag(update, (status) => (status.ready === ready ? undefined : { ...status, ready }));
  if (changed === undefined) return undefined;
  const conditions = changed.conditions ?? [];
  const made = readinessConditions({
    pod: update.pod,
    phase: changed.phase ?? 'Pending',
    initStatuses: changed.initContainerStatuses ?? [],
    statuses: changed.containerStatuses ?? [],
    gates: conditions,
  });
  const kept = conditions.filter(({ type }) => !made.some((condition) => condition.type === type));
  return { ...changed, conditions: [...kept, ...made] };
}

/** Returns the status after a startup result; only the flag changes. `undefined` as above. */
export const withStarted = (update: ProbeStatusUpdate, started: boolean): PodStatus | undefined =>
  withFlag(update, (status) => (status.started === started ? undefined : { ...status, started }));

function withFlag(
  { status, id }: ProbeStatusUpdate,
  change: (status: ContainerStatus) => ContainerStatus | undefined,
): PodStatus | undefined {
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    const statuses = status[list] ?? [];
    const index = statuses.findIndex((each) => idOfContainer(each) === id);
    const found = statuses[index];
    if (found === undefined) continue;
    const changed = change(found);
    return changed === undefined ? undefined : { ...status, [list]: statuses.with(index, changed) };
  }
  return undefined;
}
