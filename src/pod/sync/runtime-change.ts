import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

/**
 * `true` if something of the pod began or ended to live between two observations: a sandbox or a container. Containers
 * that were merely created, and removed remains, are no change: a failed sync would see them after each try.
 */
export function isLifeChanged(before: RuntimePodStatus, after: RuntimePodStatus): boolean {
  if (before === after) return false;
  const [lived, lives] = [livingIn(before), livingIn(after)];
  if (lived.size !== lives.size || [...lives].some((id) => !lived.has(id))) return true;
  const known = new Set<string>([...before.sandboxes, ...before.containers].map(({ id }) => id));
  const isNewRemains = ({ id, state }: { readonly id: string; readonly state: string }): boolean =>
    (state === 'exited' || state === 'not-ready') && !known.has(id);
  return after.sandboxes.some(isNewRemains) || after.containers.some(isNewRemains);
}

function livingIn({ sandboxes, containers }: RuntimePodStatus): ReadonlySet<string> {
  const living = new Set<string>();
  for (const { id, state } of sandboxes) if (state === 'ready') living.add(id);
  for (const { id, state } of containers) if (state === 'running') living.add(id);
  return living;
}
