import type { ContainerId, PodUid, SandboxId } from '../../src/kube/ids.ts';
import { emptyRuntimePodStatus } from '../../src/pod/values/runtime-pod-status.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import { runtimePodStatus } from '../../src/pod/status/runtime-status-from-cri.ts';
import { isEarlierState, type State } from './earlier-state.ts';
import type { Inspection, RuntimePodName, RunningLog } from './protocol.ts';
import type { ListDelta, ListedContainer, ListedSandbox } from './runtime-lists.ts';
import { sameThing } from './same-thing.ts';

/** What is seen of some of a pod's things. `undefined` beside an ID: the runtime does not know it any more. */
export interface Look extends RuntimePodName {
  /** Monotonic instant: what is seen is no older. */
  readonly at: number;
  readonly sandboxes: readonly (readonly [SandboxId, RuntimeSandbox | undefined])[];
  readonly containers: readonly (readonly [ContainerId, RuntimeContainer | undefined])[];
}

/** The runtime answers a look with what is true now; an event only tells what was true when it happened. */
export type LookSource = 'look' | 'event';

export interface ToInspect extends RuntimePodName {
  readonly sandboxes: SandboxId[];
  readonly containers: (readonly [ContainerId, SandboxId | undefined])[];
}

interface Known extends RuntimePodName {
  readonly sandboxes: Map<SandboxId, RuntimeSandbox>;
  readonly containers: Map<ContainerId, RuntimeContainer>;
  /** Things that a list named and no look has seen yet. */
  readonly unseen: Set<string>;
  status: RuntimePodStatus;
  /** Whether anybody was told that the pod has appeared. */
  appeared: boolean;
}

/** What is known of one sandbox or container beside its status. */
interface Thing {
  readonly podUid: PodUid;
  readonly place:
    { readonly kind: 'sandbox' } | { readonly kind: 'container'; readonly sandbox: SandboxId | undefined };
  /** As it was last seen; `undefined` until it is. */
  state: State | undefined;
  /** When the newest look at it was begun; an older one is not taken in. */
  lookedAt: number;
  /** A look that a relist asked for is under way: no other is begun until it ends. */
  underLook: boolean;
}

/** How much the runtime holds, for whoever counts. */
export interface HeldPods {
  readonly runningPods: number;
  /** By state. */
  readonly containers: ReadonlyMap<RuntimeContainer['state'], number>;
}

export type Change = 'none' | 'appeared' | 'changed' | 'vanished';

const STATES: readonly RuntimeContainer['state'][] = ['created', 'running', 'exited', 'unknown'];

/**
 * What PLEG knows of the runtime: per pod, its sandboxes and containers. Knows nothing of calls or time; every instant is
 * handed in. Whatever comes from elsewhere than a list (events of a lossy or late source, looks that overtake each other,
 * looks that failed) stays in doubt until a list begun later says the same, so one more relist always sets things right.
 */
export class PodRecords {
  readonly #pods = new Map<PodUid, Known>();
  readonly #things = new Map<string, Thing>();
  /** The latest IDs that were seen to be gone, and when the look was begun that saw it. IDs are never used again. */
  readonly #gone = new Map<string, number>();
  readonly #inDoubt = new Set<string>();

  status(podUid: PodUid): RuntimePodStatus | undefined {
    return this.#pods.get(podUid)?.status;
  }

  /** Every pod the runtime is known to hold, those included of which only a list has told so far. */
  get names(): readonly RuntimePodName[] {
    return [...this.#pods.values()].map(({ podUid, name, namespace }) => ({ podUid, name, namespace }));
  }

  held(): HeldPods {
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

  /** Those of which the runtime has named no log are left out. */
  runningLogs(): readonly RunningLog[] {
    const logs: RunningLog[] = [];
    for (const { containers } of this.#pods.values()) {
      for (const { id, state, logPath } of containers.values()) {
        if (state === 'running' && logPath.startsWith('/')) logs.push([id, logPath]);
      }
    }
    return logs;
  }

  /** IDs that the next relist has to be asked about, whether or not it says anything new of them. */
  get inDoubt(): ReadonlySet<string> {
    return this.#inDoubt;
  }

  /** False: the runtime holds something of this pod that has not been seen yet. What is known would mislead. */
  isWhole(podUid: PodUid): boolean {
    return (this.#pods.get(podUid)?.unseen.size ?? 0) === 0;
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
      if (this.#needsLook(listed, delta.at, { kind: 'sandbox' })) of(listed).sandboxes.push(listed.id);
    }
    for (const listed of delta.containers) {
      const place = { kind: 'container', sandbox: listed.sandboxId } as const;
      if (this.#needsLook(listed, delta.at, place)) of(listed).containers.push([listed.id, listed.sandboxId]);
    }
    for (const id of delta.absent) {
      const thing = this.#things.get(id);
      const known = thing === undefined ? undefined : this.#pods.get(thing.podUid);
      if (thing === undefined || known === undefined) {
        this.#inDoubt.delete(id);
        continue;
      }
      if (!this.#beginLook(id, thing, delta.at)) continue;
      if (thing.place.kind === 'container') of(known).containers.push([id as ContainerId, thing.place.sandbox]);
      else {
        of(known).sandboxes.push(id as SandboxId);
        of(known).containers.push(...this.#withSandbox(known, id as SandboxId, delta.at));
      }
    }
    return [...wanted.values()];
  }

  /** Two lists make one relist: containers that went with their sandbox between the two still stand in the one of containers. */
  *#withSandbox({ containers }: Known, sandbox: SandboxId, at: number): Iterable<ToInspect['containers'][number]> {
    for (const [id, { sandboxId }] of containers) {
      const thing = this.#things.get(id);
      if (sandboxId === sandbox && thing !== undefined && this.#beginLook(id, thing, at)) yield [id, sandboxId];
    }
  }

  /** A look that `toInspect` asked for has ended, well or not: if the next list still says otherwise, there is another. */
  lookEnded({ sandboxes, containers }: Omit<Inspection, 'at'>): void {
    for (const id of [...sandboxes, ...containers.map(([id]) => id)]) {
      const thing = this.#things.get(id);
      if (thing !== undefined) thing.underLook = false;
    }
  }

  /** Takes a look in. What was looked at again since this look was begun keeps the newer look. */
  take(look: Look, source: LookSource): Change {
    const { podUid } = look;
    const known = this.#pods.get(podUid) ?? newlyKnown(look);
    let changed = false;
    for (const [id, sandbox] of look.sandboxes) {
      if (!this.#isNews(id, sandbox?.state, { look, source })) continue;
      changed = this.#merge(known, known.sandboxes, { id, seen: sandbox, at: look.at }) || changed;
    }
    for (const [id, container] of look.containers) {
      if (!this.#isNews(id, container?.state, { look, source })) continue;
      changed = this.#merge(known, known.containers, { id, seen: container, at: look.at }) || changed;
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

  #needsLook(listed: ListedSandbox | ListedContainer, at: number, place: Thing['place']): boolean {
    const { id, podUid } = listed;
    let thing = this.#things.get(id);
    if (thing?.state === listed.state) {
      this.#inDoubt.delete(id);
      return false;
    }
    if (thing === undefined) {
      const goneAt = this.#gone.get(id);
      this.#inDoubt.add(id);
      // Seen to be gone after this list was begun: the list is merely older.
      if (goneAt !== undefined && goneAt >= at) return false;
      const known = this.#pods.get(podUid) ?? newlyKnown(listed);
      this.#pods.set(podUid, known);
      known.unseen.add(id);
      thing = { podUid, place, state: undefined, lookedAt: Number.NEGATIVE_INFINITY, underLook: false };
      this.#things.set(id, thing);
    }
    return this.#beginLook(id, thing, at);
  }

  #beginLook(id: string, thing: Thing, listedAt: number): boolean {
    this.#inDoubt.add(id);
    // A list is older than what an event or a worker may have told since.
    if (thing.underLook || thing.lookedAt >= listedAt) return false;
    thing.underLook = true;
    return true;
  }

  #isNews(id: string, seen: State | undefined, { look, source }: { look: Look; source: LookSource }): boolean {
    const goneAt = this.#gone.get(id);
    if (goneAt !== undefined && (source === 'event' || look.at <= goneAt)) return false;
    const thing = this.#things.get(id);
    if (thing === undefined) return true;
    if (look.at < thing.lookedAt) return false;
    return source === 'look' || seen === undefined || !isEarlierState(seen, thing.state);
  }

  #merge<Id extends SandboxId | ContainerId, Seen extends RuntimeSandbox | RuntimeContainer>(
    known: Known,
    into: Map<Id, Seen>,
    { id, seen, at }: { readonly id: Id; readonly seen: Seen | undefined; readonly at: number },
  ): boolean {
    const thing = this.#things.get(id);
    known.unseen.delete(id);
    if (thing?.state !== seen?.state || thing === undefined) this.#inDoubt.add(id);
    if (seen === undefined) {
      this.#things.delete(id);
      this.#isGone(id, at);
      return into.delete(id);
    }
    const place = placeOf(seen);
    this.#gone.delete(id);
    this.#things.set(id, {
      podUid: known.podUid,
      place,
      state: seen.state,
      lookedAt: at,
      underLook: thing?.underLook ?? false,
    });
    const before = into.get(id);
    if (before !== undefined && sameThing(before, seen)) return false;
    into.set(id, seen);
    return true;
  }

  #isGone(id: string, at: number): void {
    this.#gone.set(id, at);
    if (this.#gone.size <= GONE_KEPT) return;
    for (const oldest of this.#gone.keys()) {
      this.#gone.delete(oldest);
      break;
    }
  }
}

/** More than can be looked at while one look is under way. */
const GONE_KEPT = 20_000;

const placeOf = (seen: RuntimeSandbox | RuntimeContainer): Thing['place'] =>
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

/** What is said of a pod that the runtime knows nothing of. */
export const emptyStatus = ({
  podUid,
  name = '',
  namespace = '',
}: Partial<RuntimePodName> & { podUid: PodUid }): RuntimePodStatus =>
  emptyRuntimePodStatus({ uid: podUid, name, namespace });
