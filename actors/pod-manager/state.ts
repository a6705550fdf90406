import { assertNever } from '../../src/kube/assert-never.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodSourceChange } from '../pod-source-file/protocol.ts';
import type { PodManagerCommand } from './protocol.ts';
import { samePod } from './same-pod.ts';

/** What the pod manager has done about a pod. */
type Worker = {
  readonly fullName: string;
  /** Kept until the worker is gone: a new incarnation of it needs the pod to go on taking it away. */
  readonly pod: Pod | undefined;
  readonly stage: 'wanted' | 'going' | 'ended';
};

/**
 * What is wanted on this node, and what is being done about it. Of two pods with the same full name only one is ever
 * there: the newer one waits until nothing of the older is left. Mutated in place: a change touches the pods it is about,
 * never all of them.
 */
export class PodManagerState {
  readonly desired = new Map<PodUid, Pod>();
  readonly workers = new Map<PodUid, Worker>();
  /** Who holds a full name on this node. */
  readonly #holders = new Map<string, PodUid>();
  /** Who waits for it. */
  readonly #waiting = new Map<string, PodUid>();
  readonly #runtimePods = new Map<PodUid, RuntimePodName>();
  /** Until the node has been surveyed nothing is started: it might be running already. */
  #surveyed = false;
  #sourcesComplete = false;
  /** Nothing is wanted any more, whatever the sources say. */
  #draining = false;

  decide(command: PodManagerCommand, threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    switch (command.type) {
      case 'source-changed':
        return this.#sourceChanged(command);
      case 'node-surveyed':
        return this.#surveyedNode(command);
      case 'runtime-pod-appeared':
        this.#runtimePods.set(command.podUid, command);
        return this.#surveyed ? this.#orphan(command.podUid) : [];
      case 'runtime-pod-vanished':
        this.#runtimePods.delete(command.podUid);
        return [];
      case 'worker-restarted':
        return this.#instruct(command.podUid);
      case 'pod-terminated':
        return command.removed ? this.#removed(command.podUid) : this.#ended(command.podUid);
      case 'thread-up':
        return this.#threadUp(command.thread, threadOf);
      case 'drain':
        this.#draining = true;
        return [...this.desired.keys()].flatMap((uid) => this.#unwanted(uid));
      case 'runtime-health-changed':
        return [];
      default:
        return assertNever(command, 'pod manager command');
    }
  }

  // ---- sources -------------------------------------------------------------------------------------------------------

  get isEmpty(): boolean {
    return this.desired.size === 0 && this.workers.size === 0;
  }

  #sourceChanged({ set, gone, complete }: PodSourceChange): readonly PodManagerEffect[] {
    // A pod that is gone may make room for one that comes: it goes first.
    const wanted = this.#draining ? [] : set;
    const effects = [...gone.flatMap((uid) => this.#unwanted(uid)), ...wanted.flatMap((pod) => this.#wanted(pod))];
    if (!complete || this.#sourcesComplete) return effects;
    this.#sourcesComplete = true;
    return this.#surveyed ? [...effects, ...this.#sweep()] : effects;
  }

  #wanted(pod: Pod): readonly PodManagerEffect[] {
    const uid = podUid(pod.metadata.uid);
    const before = this.desired.get(uid);
    if (before !== undefined && samePod(before, pod)) return [];
    this.desired.set(uid, pod);
    const worker = this.workers.get(uid);
    if (worker === undefined) return this.#surveyed ? this.#admit(uid, pod) : [];
    if (worker.stage !== 'wanted') return [];
    this.workers.set(uid, { ...worker, pod });
    return [{ type: 'tell-worker', uid, command: { type: 'sync-pod', pod } }];
  }

  #unwanted(uid: PodUid): readonly PodManagerEffect[] {
    const pod = this.desired.get(uid);
    if (pod === undefined) return [];
    this.desired.delete(uid);
    if (this.#waiting.get(podFullName(pod)) === uid) this.#waiting.delete(podFullName(pod));
    const worker = this.workers.get(uid);
    // Not started yet: if it runs all the same, it is found as an orphan.
    if (worker === undefined) return this.#surveyed ? this.#orphan(uid) : [];
    return this.#takeAway(uid, worker);
  }

  #takeAway(uid: PodUid, worker: Worker): readonly PodManagerEffect[] {
    if (worker.stage === 'going') return [];
    this.workers.set(uid, { ...worker, stage: 'going' });
    return [{ type: 'tell-worker', uid, command: { type: 'terminate-pod' } }];
  }

  // ---- starting ------------------------------------------------------------------------------------------------------

  /** Starts the pod's worker, or lets it wait for its name. */
  #admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const holder = this.#holders.get(fullName);
    if (holder !== undefined && holder !== uid) {
      this.#waiting.set(fullName, uid);
      return [];
    }
    this.#holders.set(fullName, uid);
    this.workers.set(uid, { fullName, pod, stage: 'wanted' });
    const history = this.#runtimePods.has(uid) ? 'maybe-running' : 'fresh';
    return [
      { type: 'start-worker', uid, history },
      { type: 'tell-worker', uid, command: { type: 'sync-pod', pod } },
    ];
  }

  #surveyedNode({
    runtimePods,
    workers,
  }: Extract<PodManagerCommand, { type: 'node-surveyed' }>): readonly PodManagerEffect[] {
    this.#surveyed = true;
    for (const pod of runtimePods) {
      this.#runtimePods.set(pod.podUid, pod);
      const fullName = `${pod.name}_${pod.namespace}`;
      // Of two generations in the runtime, the wanted one holds the name; the other is an orphan.
      if (!this.#holders.has(fullName) || this.desired.has(pod.podUid)) this.#holders.set(fullName, pod.podUid);
    }
    const effects: PodManagerEffect[] = [];
    for (const uid of workers) {
      if (this.desired.has(uid)) continue;
      // Told to go, or to be told so once the sources are complete; which pod it is, its worker knows.
      this.workers.set(uid, { fullName: '', pod: undefined, stage: 'wanted' });
    }
    for (const [uid, pod] of this.desired) if (!this.workers.has(uid)) effects.push(...this.#admit(uid, pod));
    return this.#sourcesComplete ? [...effects, ...this.#sweep()] : effects;
  }

  /** Every source has spoken and the node is known: what runs without being wanted is taken away. */
  #sweep(): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const [uid, worker] of this.workers) if (!this.desired.has(uid)) effects.push(...this.#takeAway(uid, worker));
    for (const uid of this.#runtimePods.keys()) effects.push(...this.#orphan(uid));
    return effects;
  }

  /** A pod in the runtime that nobody wants and nobody minds gets a worker that takes it away. */
  #orphan(uid: PodUid): readonly PodManagerEffect[] {
    const found = this.#runtimePods.get(uid);
    if (!this.#sourcesComplete || found === undefined || this.desired.has(uid) || this.workers.has(uid)) return [];
    const { name, namespace } = found;
    const fullName = `${name}_${namespace}`;
    if (!this.#holders.has(fullName)) this.#holders.set(fullName, uid);
    this.workers.set(uid, { fullName, pod: undefined, stage: 'going' });
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, this.#takeRuntimePodAway(found)];
  }

  #takeRuntimePodAway({ podUid: uid, name, namespace }: RuntimePodName): PodManagerEffect {
    return { type: 'tell-worker', uid, command: { type: 'terminate-runtime-pod', name, namespace } };
  }

  // ---- workers -------------------------------------------------------------------------------------------------------

  /** Tells a worker that knows nothing what is wanted of its pod. */
  #instruct(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    const found = this.#runtimePods.get(uid);
    if (worker === undefined) return [];
    if (worker.pod === undefined) return found === undefined ? this.#removed(uid) : [this.#takeRuntimePodAway(found)];
    const sync: PodManagerEffect = { type: 'tell-worker', uid, command: { type: 'sync-pod', pod: worker.pod } };
    if (worker.stage !== 'going') return [sync];
    return [sync, { type: 'tell-worker', uid, command: { type: 'terminate-pod' } }];
  }

  #threadUp(thread: string, threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const uid of this.workers.keys()) {
      if (threadOf(uid) !== thread) continue;
      effects.push({ type: 'start-worker', uid, history: 'maybe-running' }, ...this.#instruct(uid));
    }
    return effects;
  }

  #ended(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    if (worker?.stage === 'wanted') this.workers.set(uid, { ...worker, stage: 'ended' });
    return [];
  }

  #removed(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.workers.get(uid)?.fullName ?? '';
    this.workers.delete(uid);
    const effects: PodManagerEffect[] = [{ type: 'forget-status', uid }];
    if (this.#holders.get(fullName) === uid) this.#holders.delete(fullName);
    // Wanted again under the same UID while it was going away, or somebody has waited for its name.
    const next = this.desired.has(uid) ? uid : this.#waiting.get(fullName);
    const pod = next === undefined ? undefined : this.desired.get(next);
    if (next === undefined || pod === undefined) return effects;
    if (this.#waiting.get(fullName) === next) this.#waiting.delete(fullName);
    return [...effects, ...this.#admit(next, pod)];
  }
}

export type PodManagerEffect =
  | { readonly type: 'start-worker'; readonly uid: PodUid; readonly history: 'fresh' | 'maybe-running' }
  | {
      readonly type: 'tell-worker';
      readonly uid: PodUid;
      readonly command:
        | { readonly type: 'sync-pod'; readonly pod: Pod }
        | { readonly type: 'terminate-pod' }
        | { readonly type: 'terminate-runtime-pod'; readonly name: string; readonly namespace: string };
    }
  | { readonly type: 'forget-status'; readonly uid: PodUid };
