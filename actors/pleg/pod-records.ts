import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import { emptyRuntimePodStatus } from '../../src/pod/values/runtime-pod-status.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import { runtimePodStatus } from '../../src/pod/status/runtime-status-from-cri.ts';
import { isEarlierState, type State } from './earlier-state.ts';
import type { Inspection, RuntimePodName, RunningLog } from './protocol.ts';
import type { ListDelta, ListedContainer, ListedSandbox } from './runtime-lists.ts';
import { sameRuntimeState } from './same-runtime-state.ts';

/**
 * The observed state of some sandboxes and containers of a pod. `undefined` beside an ID when the runtime no longer has
 * it.
 */
export interface InspectionResult extends RuntimePodName {
  /** Monotonic instant. The inspection is at least as new. */
  readonly at: MonotonicMs;
  readonly sandboxes: readonly (readonly [SandboxId, RuntimeSandbox | undefined])[];
  readonly containers: readonly (readonly [ContainerId, RuntimeContainer | undefined])[];
}

/** An inspection returns the current state. An event only reports the state at the time it happened. */
export type ResultSource = 'inspection' | 'event';

export interface ToInspect extends RuntimePodName {
  readonly sandboxes: SandboxId[];
  readonly containers: (readonly [ContainerId, SandboxId | undefined])[];
}

interface Known extends RuntimePodName {
  readonly sandboxes: Map<SandboxId, RuntimeSandbox>;
  readonly containers: Map<ContainerId, RuntimeContainer>;
  /** IDs that a list named and no inspection has observed yet. */
  readonly unseen: Set<string>;
  status: RuntimePodStatus;
  /** `true` once the pod manager was notified that the pod has appeared. */
  appeared: boolean;
}

/** Bookkeeping of one sandbox or container beside its status. */
interface ObjectRecord {
  readonly podUid: PodUid;
  readonly place:
    { readonly kind: 'sandbox' } | { readonly kind: 'container'; readonly sandbox: SandboxId | undefined };
  /** Last observed state; `undefined` before the first inspection. */
  state: State | undefined;
  /** Begin of the newest inspection, monotonic. Older inspections are dropped. */
  inspectedAt: MonotonicMs;
  /** `true` while an inspection requested by a relist is under way: no other inspection begins until it ends. */
  isBeingInspected: boolean;
}

/** How much the runtime holds, for the metrics. */
export interface RuntimeCounts {
  readonly runningPods: number;
  /** Counts by state. */
  readonly containers: ReadonlyMap<RuntimeContainer['state'], number>;
}

export type Change = 'none' | 'appeared' | 'changed' | 'vanished';

const STATES: readonly RuntimeContainer['state'][] = ['created', 'running', 'exited', 'unknown'];

/**
 * PLEG's knowledge of the runtime: per pod, its sandboxes and containers. Makes no calls and reads no clock; every
 * instant is handed in. Data from another source than a list stays in doubt: events of a lossy or late stream, inspections
 * that overtake each other, failed inspections. The doubt ends when a list that began later agrees, so one more relist always
 * corrects the records.
 */
export class PodRecords {
  readonly #pods = new Map<PodUid, Known>();
  readonly #objects = new Map<string, ObjectRecord>();
  /** The latest IDs observed to be gone, each with the begin of the inspection that found it gone. IDs are never reused. */
  readonly #gone = new Map<string, MonotonicMs>();
  readonly #inDoubt = new Set<string>();

  status(podUid: PodUid): RuntimePodStatus | undefined {
    return this.#pods.get(podUid)?.status;
  }

  /** Every pod the runtime is known to hold, including pods that only a list has named so far. */
  get names(): readonly RuntimePodName[] {
    return [...this.#pods.values()].map(({ podUid, name, namespace }) => ({ podUid, name, namespace }));
  }

  held(): RuntimeCounts {
    const containers = new Map<RuntimeContainer['state'], number>(STATES.map((state) => [state, 0]));
    let runningPods = 0;
    for (const { sandboxes, containers: known } of this.#pods.values()) {
      for (const { state } of known.values()) containers.set(state, (containers.get(state) ?? 0) + 1);
      for (const { state } of sandboxes.values()) {
        if (state !== 'ready') continue;
        runningPods += 1;
        break;
      }
    }
    return { runningPods, containers };
  }

  /** Containers whose log the runtime has not named are left out. */
  runningLogs(): readonly RunningLog[] {
    const logs: RunningLog[] = [];
    for (const { containers } of this.#pods.values()) {
      for (const { id, state, logPath } of containers.values()) {
        if (state === 'running' && logPath.startsWith('/')) logs.push([id, logPath]);
      }
    }
    return logs;
  }

  /** IDs that the next relist must be checked for, whether or not their list entries change. */
  get inDoubt(): ReadonlySet<string> {
    return this.#inDoubt;
  }

  /**
   * Returns `false` while the runtime holds something of this pod that was not observed yet. The status would mislead.
   */
  isWhole(podUid: PodUid): boolean {
    return (this.#pods.get(podUid)?.unseen.size ?? 0) === 0;
  }

  /** Returns the things that need a full status after a relist: those whose listed state differs from the known one. */
  toInspect(delta: ListDelta): readonly ToInspect[] {
    const wanted = new Map<PodUid, ToInspect>();
    const of = ({ podUid, name, namespace }: RuntimePodName): ToInspect => {
      let inspect = wanted.get(podUid);
      if (inspect === undefined)
        wanted.set(podUid, (inspect = { podUid, name, namespace, sandboxes: [], containers: [] }));
      return inspect;
    };
    for (const listed of delta.sandboxes) {
      if (this.#needsInspection(listed, delta.at, { kind: 'sandbox' })) of(listed).sandboxes.push(listed.id);
    }
    for (const listed of delta.containers) {
      const place = { kind: 'container', sandbox: listed.sandboxId } as const;
      if (this.#needsInspection(listed, delta.at, place)) of(listed).containers.push([listed.id, listed.sandboxId]);
    }
    for (const id of delta.absent) {
      const object = this.#objects.get(id);
      const known = object === undefined ? undefined : this.#pods.get(object.podUid);
      if (object === undefined || known === undefined) {
        this.#inDoubt.delete(id);
        continue;
      }
      if (!this.#beginInspection(id, object, delta.at)) continue;
      // `place` says of what kind the ID is.
      if (object.place.kind === 'container') of(known).containers.push([id as ContainerId, object.place.sandbox]);
      else {
        // `place` says of what kind the ID is.
        of(known).sandboxes.push(id as SandboxId);
        of(known).containers.push(...this.#withSandbox(known, id as SandboxId, delta.at));
      }
    }
    return [...wanted.values()];
  }

  /**
   * A relist is two lists. Containers that were removed with their sandbox between the two calls are still in the
   * container list.
   */
  *#withSandbox({ containers }: Known, sandbox: SandboxId, at: MonotonicMs): Iterable<ToInspect['containers'][number]> {
    for (const [id, { sandboxId }] of containers) {
      const object = this.#objects.get(id);
      if (sandboxId === sandbox && object !== undefined && this.#beginInspection(id, object, at)) yield [id, sandboxId];
    }
  }

  /**
   * Ends an inspection that `toInspect` requested, successful or failed. If the next list still differs, another inspection follows.
   */
  inspectionEnded({ sandboxes, containers }: Omit<Inspection, 'at'>): void {
    for (const id of [...sandboxes, ...containers.map(([id]) => id)]) {
      const object = this.#objects.get(id);
      if (object !== undefined) object.isBeingInspected = false;
    }
  }

  /** Records an inspection. Things that a later inspection has observed keep the later state. */
  take(result: InspectionResult, source: ResultSource): Change {
    const { podUid } = result;
    const known = this.#pods.get(podUid) ?? newlyKnown(result);
    let changed = false;
    for (const [id, sandbox] of result.sandboxes) {
      if (!this.#isNewer(id, sandbox?.state, { result, source })) continue;
      changed = this.#merge(known, known.sandboxes, { id, seen: sandbox, at: result.at }) || changed;
    }
    for (const [id, container] of result.containers) {
      if (!this.#isNewer(id, container?.state, { result, source })) continue;
      changed = this.#merge(known, known.containers, { id, seen: container, at: result.at }) || changed;
    }
    if (known.sandboxes.size + known.containers.size + known.unseen.size === 0) {
      return this.#pods.delete(podUid) ? 'vanished' : 'none';
    }
    if (!changed) return 'none';
    known.status = runtimePodStatus({
      uid: podUid,
      name: known.name,
      namespace: known.namespace,
      sandboxes: [...known.sandboxes.values()],
      containers: [...known.containers.values()],
      previousIps: known.status.ips,
    });
    this.#pods.set(podUid, known);
    const { appeared } = known;
    known.appeared = true;
    return appeared ? 'changed' : 'appeared';
  }

  #needsInspection(listed: ListedSandbox | ListedContainer, at: MonotonicMs, place: ObjectRecord['place']): boolean {
    const { id, podUid } = listed;
    let object = this.#objects.get(id);
    if (object?.state === listed.state) {
      this.#inDoubt.delete(id);
      return false;
    }
    if (object === undefined) {
      const goneAt = this.#gone.get(id);
      this.#inDoubt.add(id);
      // The thing was observed to be gone after this list began: the list is older.
      if (goneAt !== undefined && goneAt >= at) return false;
      const known = this.#pods.get(podUid) ?? newlyKnown(listed);
      this.#pods.set(podUid, known);
      known.unseen.add(id);
      object = { podUid, place, state: undefined, inspectedAt: Number.NEGATIVE_INFINITY, isBeingInspected: false };
      this.#objects.set(id, object);
    }
    return this.#beginInspection(id, object, at);
  }

  #beginInspection(id: string, object: ObjectRecord, listedAt: MonotonicMs): boolean {
    this.#inDoubt.add(id);
    // The list is older than what an event or a worker has reported since.
    if (object.isBeingInspected || object.inspectedAt >= listedAt) return false;
    object.isBeingInspected = true;
    return true;
  }

  #isNewer(
    id: string,
    seen: State | undefined,
    { result, source }: { result: InspectionResult; source: ResultSource },
  ): boolean {
    const goneAt = this.#gone.get(id);
    if (goneAt !== undefined && (source === 'event' || result.at <= goneAt)) return false;
    const object = this.#objects.get(id);
    if (object === undefined) return true;
    if (result.at < object.inspectedAt) return false;
    return source === 'inspection' || seen === undefined || !isEarlierState(seen, object.state);
  }

  #merge<Id extends SandboxId | ContainerId, Seen extends RuntimeSandbox | RuntimeContainer>(
    known: Known,
    into: Map<Id, Seen>,
    { id, seen, at }: { readonly id: Id; readonly seen: Seen | undefined; readonly at: MonotonicMs },
  ): boolean {
    const object = this.#objects.get(id);
    known.unseen.delete(id);
    if (object?.state !== seen?.state || object === undefined) this.#inDoubt.add(id);
    if (seen === undefined) {
      this.#objects.delete(id);
      this.#recordGone(id, at);
      return into.delete(id);
    }
    const place = placeOf(seen);
    this.#gone.delete(id);
    this.#objects.set(id, {
      podUid: known.podUid,
      place,
      state: seen.state,
      inspectedAt: at,
      isBeingInspected: object?.isBeingInspected ?? false,
    });
    const before = into.get(id);
    if (before !== undefined && sameRuntimeState(before, seen)) return false;
    into.set(id, seen);
    return true;
  }

  #recordGone(id: string, at: MonotonicMs): void {
    this.#gone.set(id, at);
    if (this.#gone.size <= MAX_GONE_IDS) return;
    for (const oldest of this.#gone.keys()) {
      this.#gone.delete(oldest);
      break;
    }
  }
}

/** More IDs than one inspection can cover. */
const MAX_GONE_IDS = 20_000;

const placeOf = (seen: RuntimeSandbox | RuntimeContainer): ObjectRecord['place'] =>
  'sandboxId' in seen ? { kind: 'container', sandbox: seen.sandboxId } : { kind: 'sandbox' };

const newlyKnown = ({ podUid, name, namespace }: RuntimePodName): Known => ({
  podUid,
  name,
  namespace,
  sandboxes: new Map(),
  containers: new Map(),
  unseen: new Set(),
  status: emptyStatus({ podUid, name, namespace }),
  appeared: false,
});

/** The status of a pod that the runtime does not know. */
export const emptyStatus = ({
  podUid,
  name = '',
  namespace = '',
}: Partial<RuntimePodName> & { podUid: PodUid }): RuntimePodStatus =>
  emptyRuntimePodStatus({ uid: podUid, name, namespace });
