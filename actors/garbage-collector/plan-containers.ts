import type { WallMs } from '../../src/actor/clock.ts';
import type { PodOnNode } from '../pod-manager/protocol.ts';
import type { LoggedContainer } from './plan-logs.ts';

/** A container as listed by the runtime. */
export interface ListedContainer extends LoggedContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  /** Milliseconds since the epoch, with fractions. */
  readonly createdAt: WallMs;
}

export interface ListedSandbox {
  readonly id: string;
  readonly podUid: string;
  readonly state: 'ready' | 'not-ready';
  readonly createdAt: WallMs;
}

export interface ContainerPolicy {
  /** Containers younger than this stay (kubelet: `minimum-container-ttl-duration`). */
  readonly minAgeMs: number;
  /** Dead instances kept of each container; negative: all. At least one is kept for a living pod. */
  readonly maxPerPodContainer: number;
  /** Dead containers kept on the node; negative: no limit. */
  readonly maxContainers: number;
}

export interface ContainersOnNode {
  readonly containers: readonly ListedContainer[];
  readonly sandboxes: readonly ListedSandbox[];
  /** `undefined` when the pod certainly does not exist. */
  readonly lifeOf: (podUid: string) => PodOnNode['life'] | undefined;
  readonly now: WallMs;
  /** `true` if the node runs short of disk: then containers of pods that ended by themselves are removed too. */
  readonly shortOfDisk: boolean;
}

export interface ContainersToRemove {
  readonly containers: readonly ListedContainer[];
  readonly sandboxes: readonly ListedSandbox[];
}

/**
 * Decides which dead containers and sandboxes are removed (kubelet: container garbage collection). The newest dead
 * instance of each container of a living pod always stays: its exit, restart count and log are read from there. Without
 * its record the container would look as if it had never run. Created containers that have not started are not dead
 * while their pod lives. Pods that are being removed are left to their pod worker.
 */
export function planContainers(node: ContainersOnNode, policy: ContainerPolicy): ContainersToRemove {
  const { whole, units } = sorted(node, policy);
  const kept = units.map((unit) => ({ ...unit, dead: withinUnit(unit, policy.maxPerPodContainer) }));
  const removed = units.flatMap(({ dead }, index) => dead.slice(kept[index]?.dead.length));
  const overCap = policy.maxContainers < 0 ? [] : beyondCap(kept, policy.maxContainers);
  const containers = [...whole, ...removed, ...overCap];
  return { containers, sandboxes: emptySandboxes(node, containers) };
}

interface Unit {
  readonly isLiving: boolean;
  /** Newest first. */
  readonly dead: readonly ListedContainer[];
}

/** Of two with the same age, the larger ID counts as newer: the order of the runtime's lists must not matter. */
const newestFirst = (one: Aged, other: Aged): number => other.createdAt - one.createdAt || (other.id > one.id ? 1 : -1);

interface Aged {
  readonly id: string;
  readonly createdAt: WallMs;
}

/**
 * `whole`: dead containers of pods that are removed entirely. `units`: for other pods, the dead instances of each
 * container.
 */
function sorted(node: ContainersOnNode, { minAgeMs }: ContainerPolicy) {
  const byUnit = new Map<string, ListedContainer[]>();
  const whole: ListedContainer[] = [];
  for (const container of node.containers) {
    const life = node.lifeOf(container.podUid);
    if (life === 'going') continue;
    if (isToGo(life, node)) {
      if (container.state !== 'running' && container.createdAt <= node.now - minAgeMs) whole.push(container);
      continue;
    }
    const key = `${container.podUid}/${container.name}`;
    const unit = byUnit.get(key);
    if (unit === undefined) byUnit.set(key, [container]);
    else unit.push(container);
  }
  const units: Unit[] = [];
  for (const unit of byUnit.values()) {
    // The clock may have been set back between two instances: the count of restarts only grows.
    unit.sort((one, other) => other.restartCount - one.restartCount || newestFirst(one, other));
    const old = unit.filter(({ createdAt }) => createdAt <= node.now - minAgeMs);
    // Created, never started, and replaced: such a container holds no exit status.
    whole.push(...old.filter((each) => each.state === 'created' && each !== unit[0]));
    const dead = old.filter(({ state }) => state === 'exited' || state === 'unknown');
    const isLiving = node.lifeOf(unit[0]?.podUid ?? '') === 'living';
    if (dead.length > 0) units.push({ isLiving, dead });
  }
  return { whole, units };
}

/** `true` if nothing of the pod is needed any more. */
const isToGo = (life: PodOnNode['life'] | undefined, { shortOfDisk }: ContainersOnNode): boolean =>
  life === undefined || life === 'over' || life === 'evicted' || (life === 'ended' && shortOfDisk);

function withinUnit({ isLiving, dead }: Unit, atMost: number): readonly ListedContainer[] {
  return atMost < 0 ? dead : dead.slice(0, Math.max(atMost, isLiving ? 1 : 0));
}

/** Every container gets an equal share first, at least one; then the oldest are removed. */
function beyondCap(units: readonly Unit[], atMost: number): readonly ListedContainer[] {
  const total = units.reduce((sum, { dead }) => sum + dead.length, 0);
  if (total <= atMost) return [];
  const share = Math.max(1, Math.floor(atMost / units.length));
  const shared = units.flatMap(({ dead }) => dead.slice(share));
  const left = units.flatMap(({ isLiving, dead }) =>
    dead.slice(0, share).map((container, index) => ({ container, isNeeded: isLiving && index === 0 })),
  );
  const tooMany = Math.max(0, left.length - atMost);
  const oldest = left
    .filter(({ isNeeded }) => !isNeeded)
    .map(({ container }) => container)
    .sort((one, other) => newestFirst(other, one));
  return [...shared, ...oldest.slice(0, tooMany)];
}

/**
 * Sandboxes without containers once `removed` are gone: all but each pod's newest; for a pod that is removed entirely,
 * all.
 */
function emptySandboxes(node: ContainersOnNode, removed: readonly ListedContainer[]): readonly ListedSandbox[] {
  const going = new Set(removed.map(({ id }) => id));
  const held = new Set(node.containers.filter(({ id }) => !going.has(id)).map(({ sandboxId }) => sandboxId));
  const withNewest = new Set<string>();
  return [...node.sandboxes].sort(newestFirst).filter(({ id, podUid, state }) => {
    const isNewest = !withNewest.has(podUid);
    withNewest.add(podUid);
    const life = node.lifeOf(podUid);
    if (life === 'going' || state === 'ready' || held.has(id)) return false;
    // The sandbox of a pod that ended by itself stays: a restarted agent recognises the pod by its sandbox.
    return !isNewest || (isToGo(life, node) && life !== 'ended');
  });
}
