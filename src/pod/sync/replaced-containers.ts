import type { ContainerId, SandboxId } from '../../kube/ids.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

export interface Surplus {
  readonly containers: readonly ContainerId[];
  readonly sandboxes: readonly SandboxId[];
}

/**
 * Returns the dead, replaced records of a living pod. Of each container's dead instances the newest `keep` stay, for
 * their exits and logs, unless they belong to an earlier life of the pod. Of the dead sandboxes all without containers
 * are returned, except the newest.
 */
export function surplusOf(
  { containers, sandboxes }: RuntimePodStatus,
  {
    formerLife = NO_CONTAINERS,
    keep = 1,
  }: { readonly formerLife?: ReadonlySet<ContainerId>; readonly keep?: number } = {},
): Surplus {
  const dead = containers.length < 2 ? [] : replacedContainers(containers, formerLife, Math.max(1, keep));
  if (sandboxes.length < 2) return { containers: dead, sandboxes: [] };
  const held = new Set(containers.map(({ sandboxId }) => sandboxId));
  // A container with an unknown sandbox might be in any of them.
  if (held.has(undefined)) return { containers: dead, sandboxes: [] };
  const empty = sandboxes.slice(1).filter(({ id, state }) => state === 'not-ready' && !held.has(id));
  return { containers: dead, sandboxes: empty.map(({ id }) => id) };
}

const NO_CONTAINERS: ReadonlySet<ContainerId> = new Set();

function replacedContainers(
  newestFirst: RuntimePodStatus['containers'],
  formerLife: ReadonlySet<ContainerId>,
  keep: number,
): readonly ContainerId[] {
  const kept = new Map<string, number>();
  const seen = new Set<string>();
  const replaced: ContainerId[] = [];
  for (const { id, name, state } of newestFirst) {
    const isNewest = !seen.has(name);
    seen.add(name);
    if (state !== 'exited') continue;
    const before = kept.get(name) ?? 0;
    if (before >= keep || (!isNewest && formerLife.has(id))) replaced.push(id);
    else kept.set(name, before + 1);
  }
  return replaced;
}
