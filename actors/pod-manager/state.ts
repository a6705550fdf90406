import { assertNever } from '../../src/kube/assert-never.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../src/kube/static-pod.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodSource, PodSourceChange } from '../../src/pod/pod-source-change.ts';
import { FullNames } from './full-names.ts';
import type { PodManagerCommand } from './protocol.ts';
import { samePod } from './same-pod.ts';
import { SourceSessions } from './source-sessions.ts';

/** What the pod manager has done about a pod. */
type Worker = {
  /** Empty while it is not known. */
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
  readonly #names = new FullNames();
  readonly #sources: SourceSessions;
  readonly #runtimePods = new Map<PodUid, RuntimePodName>();
  /** Until the node has been surveyed nothing is started: it might be running already. */
  #surveyed = false;
  /** Nothing is wanted any more, whatever the sources say. */
  #draining = false;

  constructor(sources: readonly PodSource[] = ['file']) {
    this.#sources = new SourceSessions(sources);
  }

  decide(command: PodManagerCommand, threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    switch (command.type) {
      case 'source-changed':
        return this.#sourceChanged(command);
      case 'node-surveyed':
        return this.#surveyedNode(command);
      case 'runtime-pod-appeared':
        return this.#appeared(command);
      case 'runtime-pod-vanished':
        return this.#vanished(command.podUid);
      case 'worker-restarted':
        return this.#instruct(command.podUid);
      case 'pod-terminated':
        return command.removed ? this.#removed(command.podUid) : this.#ended(command.podUid);
      case 'thread-up':
        return this.#threadUp(command.thread, threadOf);
      case 'urge':
        return [...this.workers].flatMap(([uid, worker]) =>
          worker.stage === 'going' ? [this.#goodbye(uid, worker)] : [],
        );
      case 'survey':
        return [];
      case 'drain':
        this.#draining = true;
        return [...[...this.desired.keys()].flatMap((uid) => this.#unwanted(uid)), ...this.#sweep()];
      case 'report-api-pods':
      case 'runtime-health-changed':
        return [];
      default:
        return assertNever(command, 'pod manager command');
    }
  }

  get isEmpty(): boolean {
    return this.desired.size === 0 && this.workers.size === 0;
  }

  // ---- sources -------------------------------------------------------------------------------------------------------

  #sourceChanged(change: PodSourceChange): readonly PodManagerEffect[] {
    const heard = this.#sources.hear(change);
    if (heard.type === 'stale') return [];
    if (heard.type === 'incomplete') return [{ type: 'ask-source', source: change.source }];
    // A pod that is gone may make room for one that comes: it goes first.
    const wanted = this.#draining ? [] : change.set;
    const effects = [
      ...change.gone.flatMap((uid) => this.#unwanted(uid)),
      ...wanted.flatMap((pod) => this.#wanted(pod)),
    ];
    if (heard.type !== 'all') return effects;
    // What the source wanted before it, or this manager, started anew.
    const dropped = [...this.desired].filter(([uid, pod]) => !heard.named.has(uid) && sourceOf(pod) === change.source);
    return [...effects, ...dropped.flatMap(([uid]) => this.#unwanted(uid)), ...this.#sweep()];
  }

  #wanted(pod: Pod): readonly PodManagerEffect[] {
    const uid = podUid(pod.metadata.uid);
    const before = this.desired.get(uid);
    if (before !== undefined && samePod(before, pod)) return [];
    this.desired.set(uid, pod);
    const worker = this.workers.get(uid);
    if (worker === undefined) return this.#surveyed ? this.#admit(uid, pod) : [];
    if (worker.stage !== 'wanted') return [];
    return this.#sync(uid, pod);
  }

  #unwanted(uid: PodUid): readonly PodManagerEffect[] {
    const pod = this.desired.get(uid);
    if (pod === undefined) return [];
    this.desired.delete(uid);
    this.#names.waitNoMore(podFullName(pod), uid);
    const worker = this.workers.get(uid);
    // Not started yet: if it runs all the same, it is found as an orphan.
    return worker === undefined ? this.#orphan(uid) : this.#takeAway(uid, worker);
  }

  #takeAway(uid: PodUid, worker: Worker): readonly PodManagerEffect[] {
    if (worker.stage === 'going') return [];
    this.workers.set(uid, { ...worker, stage: 'going' });
    return [this.#goodbye(uid, worker)];
  }

  #goodbye(uid: PodUid, { pod }: Worker): PodManagerEffect {
    // Which pod a worker has that outlived an earlier manager, only that worker knows, if it does.
    if (pod === undefined) return this.#takeRuntimePodAway(uid);
    return { type: 'tell-worker', uid, command: { type: 'terminate-pod' } };
  }

  // ---- starting ------------------------------------------------------------------------------------------------------

  /** Starts the pod's worker, or lets it wait for its name. One that may be running already is minded at once. */
  #admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const mayRun = this.#runtimePods.has(uid);
    if (!mayRun && !this.#names.isFreeFor(fullName, uid)) {
      this.#names.wait(fullName, uid);
      return [];
    }
    return [{ type: 'start-worker', uid, history: mayRun ? 'maybe-running' : 'fresh' }, ...this.#sync(uid, pod)];
  }

  #sync(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    this.#names.waitNoMore(fullName, uid);
    this.#names.enter(fullName, uid);
    this.workers.set(uid, { fullName, pod, stage: 'wanted' });
    return [{ type: 'tell-worker', uid, command: { type: 'sync-pod', pod } }];
  }

  /** Who has waited for the name, if it is free now. */
  #admitNext(fullName: string): readonly PodManagerEffect[] {
    const next = this.#names.next(fullName);
    const pod = next === undefined ? undefined : this.desired.get(next);
    return next === undefined || pod === undefined ? [] : this.#admit(next, pod);
  }

  // ---- what the node holds -------------------------------------------------------------------------------------------

  #surveyedNode({
    runtimePods,
    workers,
    minded,
  }: Extract<PodManagerCommand, { type: 'node-surveyed' }>): readonly PodManagerEffect[] {
    this.#surveyed = true;
    const held = new Set(runtimePods.map(({ podUid: uid }) => uid));
    const vanished = [...this.#runtimePods.keys()].filter((uid) => !held.has(uid));
    const effects: PodManagerEffect[] = vanished.flatMap((uid) => this.#vanished(uid));
    for (const pod of runtimePods) {
      this.#runtimePods.set(pod.podUid, pod);
      if (!this.workers.has(pod.podUid)) this.#names.enter(fullNameOf(pod), pod.podUid);
    }
    const living = new Set(workers);
    // Its thread has come up anew, or it has taken its pod away, and the word of it was lost.
    for (const uid of minded) if (!living.has(uid)) effects.push(...this.#startAgain(uid));
    const known = new Set(minded);
    for (const uid of workers) {
      // Told of since, or gone since.
      if (known.has(uid) || this.workers.has(uid)) continue;
      const pod = this.desired.get(uid);
      // It lives already, so it goes on; or it is taken away once the sources are complete.
      if (pod !== undefined) effects.push(...this.#sync(uid, pod));
      else this.workers.set(uid, { fullName: this.#runtimeName(uid), pod: undefined, stage: 'wanted' });
    }
    for (const [uid, pod] of this.desired) if (!this.workers.has(uid)) effects.push(...this.#admit(uid, pod));
    return [...effects, ...this.#sweep()];
  }

  #appeared(pod: RuntimePodName): readonly PodManagerEffect[] {
    this.#runtimePods.set(pod.podUid, pod);
    if (!this.workers.has(pod.podUid)) this.#names.enter(fullNameOf(pod), pod.podUid);
    return this.#orphan(pod.podUid);
  }

  #vanished(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.#runtimeName(uid);
    // While it has a worker, that one says when nothing of it is left.
    if (!this.#runtimePods.delete(uid) || this.workers.has(uid)) return [];
    this.#names.leave(fullName, uid);
    return this.#surveyed ? this.#admitNext(fullName) : [];
  }

  /** Once every source has spoken and the node is known: what is there without being wanted is taken away. */
  #sweep(): readonly PodManagerEffect[] {
    if (!this.knowsAll) return [];
    const effects: PodManagerEffect[] = [];
    for (const [uid, worker] of this.workers) if (!this.desired.has(uid)) effects.push(...this.#takeAway(uid, worker));
    for (const uid of this.#runtimePods.keys()) effects.push(...this.#orphan(uid));
    return effects;
  }

  /** A pod in the runtime that nobody wants and nobody minds gets a worker that takes it away. */
  #orphan(uid: PodUid): readonly PodManagerEffect[] {
    const isKnown = this.desired.has(uid) || this.workers.has(uid);
    if (!this.knowsAll || isKnown || !this.#runtimePods.has(uid)) return [];
    const fullName = this.#runtimeName(uid);
    this.#names.enter(fullName, uid);
    this.workers.set(uid, { fullName, pod: undefined, stage: 'going' });
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, this.#takeRuntimePodAway(uid)];
  }

  /** Whether it is known what is wanted and what there is: whatever is neither is nobody's any more. */
  get knowsAll(): boolean {
    return this.#surveyed && (this.#draining || this.#sources.allComplete);
  }

  #runtimeName(uid: PodUid): string {
    const pod = this.#runtimePods.get(uid);
    return pod === undefined ? '' : fullNameOf(pod);
  }

  #takeRuntimePodAway(uid: PodUid): PodManagerEffect {
    const { name, namespace } = this.#runtimePods.get(uid) ?? { name: '', namespace: '' };
    return { type: 'tell-worker', uid, command: { type: 'terminate-runtime-pod', name, namespace } };
  }

  // ---- workers -------------------------------------------------------------------------------------------------------

  /** Tells a worker that knows nothing what is wanted of its pod. */
  #instruct(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    if (worker === undefined) return [];
    const { pod, stage } = worker;
    // Until the sources are complete it may yet be wanted.
    if (pod === undefined) return stage === 'going' ? [this.#takeRuntimePodAway(uid)] : [];
    const sync: PodManagerEffect = { type: 'tell-worker', uid, command: { type: 'sync-pod', pod } };
    return stage === 'going' ? [sync, { type: 'tell-worker', uid, command: { type: 'terminate-pod' } }] : [sync];
  }

  #threadUp(thread: string, threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const uid of this.workers.keys()) if (threadOf(uid) === thread) effects.push(...this.#startAgain(uid));
    return effects;
  }

  #startAgain(uid: PodUid): readonly PodManagerEffect[] {
    if (!this.workers.has(uid)) return [];
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...this.#instruct(uid)];
  }

  #ended(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    if (worker?.stage === 'wanted') this.workers.set(uid, { ...worker, stage: 'ended' });
    return [];
  }

  #removed(uid: PodUid): readonly PodManagerEffect[] {
    const fullName = this.workers.get(uid)?.fullName ?? '';
    this.workers.delete(uid);
    this.#names.leave(fullName, uid);
    // Wanted again under the same UID while it was going away.
    const pod = this.desired.get(uid);
    const again = pod === undefined ? [] : this.#admit(uid, pod);
    return [{ type: 'forget-status', uid }, ...again, ...this.#admitNext(fullName)];
  }
}

const fullNameOf = ({ name, namespace }: RuntimePodName): string => `${name}_${namespace}`;

const sourceOf = ({ metadata }: Pod): string | undefined => metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];

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
  | { readonly type: 'forget-status'; readonly uid: PodUid }
  /** Something that it said was not heard. */
  | { readonly type: 'ask-source'; readonly source: PodSource };
