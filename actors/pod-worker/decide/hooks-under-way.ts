import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { idOfContainer } from '../../../src/pod/values/probe-readiness.ts';
import type { PodWorkerState } from '../worker-state.ts';

const hasPostStart = ({ lifecycle }: Container): boolean => lifecycle?.postStart !== undefined;

/**
 * Returns a predicate for running containers whose postStart hook has not returned. Such a container is neither started
 * nor ready. A container that was reported as started has had its hook.
 */
export function hooksUnderWay(
  {
    observed,
    work,
    decidedOn,
    unfinishedHook,
    status,
  }: Pick<PodWorkerState, 'observed' | 'work' | 'decidedOn' | 'unfinishedHook' | 'status'>,
  pod: Pod,
): (id: ContainerId) => boolean {
  const { containers, initContainers = [] } = pod.spec;
  // The usual case, and a frequent one.
  if (!containers.some(hasPostStart) && !initContainers.some(hasPostStart)) return () => false;
  const names = new Set([...containers, ...initContainers].filter(hasPostStart).map(({ name }) => name));
  const ranBefore = new Set(
    (work.acting ? (decidedOn?.containers ?? []) : []).filter(({ state }) => state === 'running').map(({ id }) => id),
  );
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? pod.status ?? {};
  const started = new Set(
    [...containerStatuses, ...initContainerStatuses].filter((each) => each.started === true).map(idOfContainer),
  );
  const underWay = new Set<ContainerId>();
  for (const { id, name, state } of observed?.status.containers ?? []) {
    if (state !== 'running' || !names.has(name) || started.has(id)) continue;
    // An attempt starts a container and awaits its hook in one step.
    if (id === unfinishedHook || (work.acting && !ranBefore.has(id))) underWay.add(id);
  }
  return (id) => underWay.has(id);
}
