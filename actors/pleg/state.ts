import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import { emptyRuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/runtime-pod-status.ts';
import { runtimePodStatus } from '../../src/pod/runtime-status-from-cri.ts';
import type { RuntimePodName } from './protocol.ts';

/** A list entry, as far as it tells whether a closer look is needed. */
export interface ListedSandbox extends RuntimePodName {
  readonly id: SandboxId;
  readonly state: RuntimeSandbox['state'];
}
export interface ListedContainer extends RuntimePodName {
  readonly id: ContainerId;
  readonly sandboxId: SandboxId;
  readonly state: RuntimeContainer['state'];
}

/** What a relist found to be different from what is known. */
export interface ListDelta {
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
  readonly vanished: readonly string[];
}

/** A closer look at some of a pod's things. */
export interface Look extends RuntimePodName {
  readonly at: number;
  readonly sandboxes: readonly (readonly [SandboxId, RuntimeSandbox | undefined])[];
  readonly containers: readonly (readonly [ContainerId, RuntimeContainer | undefined])[];
}

export interface ToInspect extends RuntimePodName {
  readonly sandboxes: SandboxId[];
  readonly containers: (readonly [ContainerId, SandboxId | undefined])[];
}

interface Known {
  readonly podUid: PodUid;
  name: string;
  namespace: string;
  readonly sandboxes: Map<SandboxId, RuntimeSandbox>;
  readonly containers: Map<ContainerId, RuntimeContainer>;
  status: RuntimePodStatus;
}

interface Owned {
  readonly podUid: PodUid;
  /** When the newest look at it was begun; an older one is not taken in. */
  readonly lookedAt: number;
}

export type Change = 'none' | 'appeared' | 'changed' | 'vanished';

/**
 * What PLEG knows of the runtime: per pod, its sandboxes and containers. Knows nothing of calls or time; every instant is
 * handed in. Events of a lossy or late source and looks that overtake each other leave it in the same state as a relist.
 */
export class PodRecords {
  readonly #pods = new Map<PodUid, Known>();
  readonly #owners = new Map<string, Owned>();
  /** The latest IDs that were seen to be gone. IDs are never used again, so an older look cannot bring one back. */
  readonly #gone = new Set<string>();

  status(podUid: PodUid): RuntimePodStatus | undefined {
    return this.#pods.get(podUid)?.status;
  }

  /** Which things of which pods need a closer look after a relist: those whose state is not the known one. */
  toInspect(delta: ListDelta): readonly ToInspect[] {
    const wanted = new Map<PodUid, ToInspect>();
    const of = ({ podUid, name, namespace }: RuntimePodName): ToInspect => {
      let inspect = wanted.get(podUid);
      if (inspect === undefined)
        wanted.set(podUid, (inspect = { podUid, name, namespace, sandboxes: [], containers: [] }));
      return inspect;
    };
    for (const listed of delta.sandboxes) {
      if (this.#pods.get(listed.podUid)?.sandboxes.get(listed.id)?.state !== listed.state)
        of(listed).sandboxes.push(listed.id);
    }
    for (const listed of delta.containers) {
      if (this.#pods.get(listed.podUid)?.containers.get(listed.id)?.state !== listed.state)
        of(listed).containers.push([listed.id, listed.sandboxId]);
    }
    for (const id of delta.vanished) {
      const owned = this.#owners.get(id);
      const known = owned === undefined ? undefined : this.#pods.get(owned.podUid);
      if (known === undefined) continue;
      // A look, not a removal: a list is older than what an event or a worker may have told since.
      if (known.sandboxes.has(id as SandboxId)) of(known).sandboxes.push(id as SandboxId);
      if (known.containers.has(id as ContainerId)) of(known).containers.push([id as ContainerId, undefined]);
    }
    return [...wanted.values()];
  }

  /** Takes a look in. What was looked at again since this look was begun keeps the newer look. */
  take(look: Look): Change {
    let known = this.#pods.get(look.podUid);
    const isNew = known === undefined;
    known ??= {
      podUid: look.podUid,
      name: look.name,
      namespace: look.namespace,
      sandboxes: new Map(),
      containers: new Map(),
      status: emptyStatus(look),
    };
    const sandboxesChanged = this.#merge(look, known.sandboxes, look.sandboxes);
    const containersChanged = this.#merge(look, known.containers, look.containers);
    if (known.sandboxes.size === 0 && known.containers.size === 0) {
      return this.#pods.delete(look.podUid) ? 'vanished' : 'none';
    }
    if (!sandboxesChanged && !containersChanged) return 'none';
    known.status = runtimePodStatus({
      uid: known.podUid,
      name: known.name,
      namespace: known.namespace,
      sandboxes: [...known.sandboxes.values()],
      containers: [...known.containers.values()],
      previousIps: known.status.ips,
    });
    this.#pods.set(look.podUid, known);
    return isNew ? 'appeared' : 'changed';
  }

  get names(): readonly RuntimePodName[] {
    return [...this.#pods.values()].map(({ podUid, name, namespace }) => ({ podUid, name, namespace }));
  }

  #merge<Id extends string, Thing extends object>(
    look: Look,
    into: Map<Id, Thing>,
    seen: readonly (readonly [Id, Thing | undefined])[],
  ): boolean {
    let changed = false;
    for (const [id, thing] of seen) {
      const owned = this.#owners.get(id);
      if ((owned !== undefined && look.at < owned.lookedAt) || this.#gone.has(id)) continue;
      if (thing === undefined) {
        this.#forget(id);
        changed = into.delete(id) || changed;
        continue;
      }
      this.#owners.set(id, { podUid: look.podUid, lookedAt: look.at });
      const before = into.get(id);
      if (before !== undefined && sameThing(before, thing)) continue;
      into.set(id, thing);
      changed = true;
    }
    return changed;
  }

  #forget(id: string): void {
    this.#owners.delete(id);
    this.#gone.add(id);
    if (this.#gone.size <= GONE_KEPT) return;
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest);
      break;
    }
  }
}

/** More than can be looked at while one look is under way. */
const GONE_KEPT = 20_000;

/** What is said of a pod that the runtime knows nothing of. */
export const emptyStatus = ({
  podUid,
  name = '',
  namespace = '',
}: Partial<RuntimePodName> & { podUid: PodUid }): RuntimePodStatus =>
  emptyRuntimePodStatus({ uid: podUid, name, namespace });

/** Whether two looks at the same sandbox or container saw the same. Annotations and labels never change, so they are not compared. */
function sameThing(one: object, other: object): boolean {
  for (const [key, value] of Object.entries(one)) {
    const against = (other as Record<string, unknown>)[key];
    if (Array.isArray(value) && Array.isArray(against)) {
      if (value.length !== against.length || value.some((each, index) => each !== against[index])) return false;
    } else if (typeof value !== 'object' && value !== against) return false;
  }
  return true;
}
