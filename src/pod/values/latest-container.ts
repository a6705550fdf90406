import type { Pod } from '../../kube/pod.ts';
import type { RuntimeContainer, RuntimePodStatus } from './runtime-pod-status.ts';

/**
 * Returns the newest record of a name; the runtime status lists newest first. A loop, because this runs for every
 * container of every sync.
 */
export function latestContainer(status: RuntimePodStatus, name: string): RuntimeContainer | undefined {
  for (const container of status.containers) if (container.name === name) return container;
  return undefined;
}

/** `true` if any regular container was ever created, in any sandbox. */
export function hasRegularContainerRecord(pod: Pod, status: RuntimePodStatus): boolean {
  return pod.spec.containers.some(({ name }) => isMade(latestContainer(status, name)));
}

/**
 * `true` if the newest sandbox has a regular container. Containers of an older sandbox say nothing about the present start. */
export function hasRegularContainerInActiveSandbox(pod: Pod, status: RuntimePodStatus): boolean {
  const active = status.sandboxes[0]?.id;
  if (active === undefined) return false;
  return status.containers.some(
    (container) =>
      container.sandboxId === active &&
      isMade(container) &&
      pod.spec.containers.some(({ name }) => name === container.name),
  );
}

const isMade = (container: RuntimeContainer | undefined): boolean =>
  container !== undefined && container.state !== 'unknown';
