import type { Container, Pod } from '../../kube/pod.ts';
import type { ContainerToReset } from './pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';
import { triggersRestartOfAll } from './should-restart.ts';

/**
 * Returns every record of every regular and init container. Containers whose exit triggered the restart come last:
 * while one of them is left, an interrupted reset is still recognised.
 */
export function containersToReset(pod: Pod, status: RuntimePodStatus): readonly ContainerToReset[] {
  const quiet: ContainerToReset[] = [];
  const triggering: ContainerToReset[] = [];
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    const records = status.containers.filter(({ name }) => name === container.name);
    const list = records.some((record) => isTrigger(container, record)) ? triggering : quiet;
    for (const { id, name, state } of records) list.push({ id, name, stopFirst: state !== 'exited' });
  }
  return [...quiet, ...triggering];
}

/** `true` if some container's newest exit triggers a restart of all containers. */
export function isRestartOfAllTriggered(pod: Pod, status: RuntimePodStatus): boolean {
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  return containers.some((container) => status.containers.some((record) => isTrigger(container, record)));
}

const isTrigger = (container: Container, record: RuntimeContainer): boolean =>
  record.name === container.name && record.state === 'exited' && triggersRestartOfAll(container, record.exitCode);
