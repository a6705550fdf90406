/* oxlint-disable max-lines -- one decision over one state; resizes, names, sources and the desk have files of their own, the rest is to follow */
import { assertNever } from '../../src/kube/assert-never.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { isMirrorPod } from '../../src/kube/static-pod.ts';
import type { AdmissionNode } from '../../src/node/admission.ts';
import { isTerminalPhase } from '../../src/pod/api-status.ts';
import type { AllocatedResources } from '../../src/pod/pod-resizes.ts';
import { terminateStatus } from '../../src/pod/terminate-status.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodSource, PodSourceChange } from '../../src/pod/pod-source-change.ts';
import { AdmissionDesk } from './admission-desk.ts';
import { ApiObjects, objectSeen } from './api-objects.ts';
import type { PodManagerEffect } from './effects.ts';
import { FullNames } from './full-names.ts';
import { admissionNode } from './observed-node.ts';
import type { EvictPod, PodManagerCommand } from './protocol.ts';
import { byCreation, fullNameOf, isDeleted, isFromApi, sourceOf, wasAdmitted, evict } from './pod-facts.ts';
import { goodbye, instructions, sync, urgings } from './instructions.ts';
import { Resizes } from './resizes.ts';
import { sameGates, samePod } from './same-pod.ts';
import { SourceSessions } from './source-sessions.ts';
import { newsIn, type Survey } from './survey.ts';
import { evicted, type Worker } from './worker-entry.ts';

interface Surroundings {
  /** What a pod was given by a manager before this one, as kept on disk. */
  readonly recall?: (uid: PodUid) => AllocatedResources | undefined;
  /** `allowedUnsafeSysctls`. */
  readonly allowedSysctls?: readonly string[];
}

type PodTerminated = Extract<PodManagerCommand, { type: 'pod-terminated' }>;

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
  surveyed = false;
  /** Nothing is wanted any more, whatever the sources say. */
  #draining = false;

  readonly objects: ApiObjects;
  readonly desk: AdmissionDesk;
  #nodeKnown = false;
  readonly #resizes: Resizes;

  /** `node`: what it is like as far as it can tell by itself, until the API's Node is seen. Undefined: nothing is refused. */
  constructor(
    sources: readonly PodSource[] = ['file'],
    node?: AdmissionNode,
    { recall = () => undefined, allowedSysctls = [] }: Surroundings = {},
  ) {
    this.#resizes = new Resizes(recall);
    this.#sources = new SourceSessions(sources);
    this.objects = new ApiObjects(sources.includes('api') ? 'api' : 'none');
    this.desk = new AdmissionDesk(node, allowedSysctls);
    this.#nodeKnown = node === undefined;
  }

  decide(command: PodManagerCommand, threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    switch (command.type) {
      case 'source-changed':
        return this.#sourceChanged(command);
      case 'node-surveyed':
        return this.surveyedNode(command);
      case 'runtime-pod-appeared':
        return this.#appeared(command);
      case 'runtime-pod-vanished':
        return this.#vanished(command.podUid);
      case 'worker-restarted':
        return this.#instruct(command.podUid);
      case 'pod-terminated':
        return command.removed ? this.#removed(command) : this.#ended(command.podUid);
      case 'thread-up':
        return this.#startAllAgain((uid) => threadOf(uid) === command.thread);
      case 'urge':
        return [
          ...[...this.workers].flatMap(([uid, each]) => urgings(uid, each, this.#runtimePods.get(uid))),
          ...this.#retryResizes(),
        ];
      case 'drain':
        this.#draining = true;
        return [...[...this.desired.keys()].flatMap((uid) => this.#unwanted(uid)), ...this.#sweep()];
      case 'report-api-pods':
        return this.objects.statusReport(this.desired);
      case 'report-mirror-pods':
        return this.objects.mirrorReport(this.workers, this.desired);
      case 'node-observed':
        return this.#nodeObserved(admissionNode(command.node));
      case 'node-shutting-down':
      case 'pressures-observed':
        return this.desk.told(command);
      case 'evict-pod':
        return this.#evict(command);
      case 'runtime-health-changed':
      case 'survey':
        return [];
      default:
        return assertNever(command, 'pod manager command');
    }
  }

  /** How many resizes wait, by why. */
  get pendingResizes(): ReadonlyMap<string, number> {
    return this.#resizes.pendingByReason;
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
    const effects: PodManagerEffect[] = [
      ...change.gone.flatMap((uid) => this.#unwanted(uid)),
      ...wanted.flatMap((pod) => this.#wanted(pod)),
    ];
    if (change.gone.length > 0) effects.push(...this.#retryResizes());
    if (heard.type !== 'all') return effects;
    // What the source wanted before it, or this manager, started anew.
    const dropped = [...this.desired].filter(([uid, pod]) => !heard.named.has(uid) && sourceOf(pod) === change.source);
    return [
      ...effects,
      ...(change.source === 'api' ? this.objects.mirrorsBut(heard.named) : []),
      ...dropped.flatMap(([uid]) => this.#unwanted(uid)),
      ...this.#judgeWaiting(),
      ...this.#sweep(),
    ];
  }

  #wanted(pod: Pod): readonly PodManagerEffect[] {
    const uid = podUid(pod.metadata.uid);
    if (!isFromApi(pod)) return this.#wantedHere(uid, pod);
    if (isMirrorPod(pod)) return this.objects.mirrorSeen(pod);
    return [...objectSeen(uid, pod), ...this.#wantedHere(uid, pod)];
  }

  #wantedHere(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const before = this.desired.get(uid);
    const worker = this.workers.get(uid);
    if (before !== undefined && samePod(before, pod)) {
      if (before !== pod && isFromApi(pod)) return this.#reconcile(uid, { before, pod, worker });
      return [];
    }
    this.desired.set(uid, pod);
    if (this.objects.isOver(uid)) return [];
    if (worker === undefined) return this.surveyed ? this.#admit(uid, pod) : [];
    if (isDeleted(pod)) {
      const going: Worker & { readonly pod: Pod } = {
        ...worker,
        pod: this.#resizes.allocated(uid, pod),
        stage: 'going',
      };
      this.workers.set(uid, going);
      return [sync(uid, { pod: going.pod, resize: going.resize })];
    }
    // While it is taken away it is wanted again: its worker leaves what the next one can go on from.
    if (worker.stage === 'going' && !isFromApi(pod))
      return [{ type: 'tell-worker', uid, command: { type: 'sync-pod', pod } }];
    if (worker.stage !== 'wanted') return [];
    return this.#sync(uid, pod);
  }

  /** Only its status is another: the worker minds nothing of it but what others say of its readiness. */
  #reconcile(
    uid: PodUid,
    { before, pod, worker }: { readonly before: Pod; readonly pod: Pod; readonly worker: Worker | undefined },
  ): readonly PodManagerEffect[] {
    this.desired.set(uid, pod);
    if (isTerminalPhase(pod.status?.phase)) this.desk.left(uid);
    if (worker?.pod === undefined) return [];
    const allocated = this.#resizes.allocated(uid, pod);
    this.workers.set(uid, { ...worker, pod: allocated });
    if (sameGates(before, pod)) return [];
    return [{ type: 'tell-worker', uid, command: { type: 'reconcile-pod', pod: allocated } }];
  }

  #unwanted(uid: PodUid): readonly PodManagerEffect[] {
    if (this.objects.hasMirror(uid)) return this.objects.mirrorGone(uid);
    const pod = this.desired.get(uid);
    if (pod === undefined) return [];
    this.desired.delete(uid);
    this.#names.waitNoMore(podFullName(pod), uid);
    const worker = this.workers.get(uid);
    const effects: PodManagerEffect[] = [];
    if (isFromApi(pod)) {
      effects.push({
        type: 'tell-status',
        uid,
        command: { type: 'api-pod-gone', podUid: uid, objectUid: pod.metadata.uid },
      });
    }
    if (worker !== undefined) return [...effects, ...this.#takeAway(uid, worker, isFromApi(pod) ? 0 : undefined)];
    this.desk.left(uid);
    const wasOver = this.objects.forget(uid);
    if (isFromApi(pod) || wasOver) effects.push({ type: 'forget-status', uid });
    effects.push(...this.objects.staticGone(uid, pod));
    // Not started yet: if it runs all the same, it is found as an orphan. Of one that is over nothing was left.
    return wasOver ? effects : [...effects, ...this.#orphan(uid)];
  }

  /** `graceSeconds`: less than the pod's own, because the API has no such pod any more. */
  #takeAway(uid: PodUid, worker: Worker, graceSeconds?: number): readonly PodManagerEffect[] {
    const isHurried = graceSeconds !== undefined && worker.graceSeconds === undefined;
    if (worker.stage === 'going' && !isHurried) return [];
    const going: Worker = { ...worker, stage: 'going', ...(graceSeconds === undefined ? {} : { graceSeconds }) };
    this.workers.set(uid, going);
    return [goodbye(uid, going, this.#runtimePods.get(uid))];
  }

  // ---- starting ------------------------------------------------------------------------------------------------------

  /** Starts the pod's worker, or lets it wait for its name. One that may be running already is minded at once. */
  #admit(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    const mayRun = this.#runtimePods.has(uid);
    // What has ended and left nothing here is history: it costs no worker.
    if (!mayRun && isFromApi(pod) && isTerminalPhase(pod.status?.phase))
      return this.objects.over(uid, pod, pod.status ?? {});
    if (!mayRun && !this.#names.isFreeFor(fullName, uid)) {
      this.#names.wait(fullName, uid);
      return [];
    }
    if (!mayRun && !isDeleted(pod) && !wasAdmitted(pod)) {
      if (isFromApi(pod) && !this.#canJudge) {
        this.desk.wait(uid);
        return [];
      }
      const rejection = this.desk.judge(uid, pod);
      if (rejection !== undefined) return this.objects.rejected(uid, pod, rejection);
    }
    return [{ type: 'start-worker', uid, history: mayRun ? 'maybe-running' : 'fresh' }, ...this.#sync(uid, pod)];
  }

  #sync(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const fullName = podFullName(pod);
    this.#names.waitNoMore(fullName, uid);
    this.#names.enter(fullName, uid);
    const { eviction, pod: before } = this.workers.get(uid) ?? {};
    const resizing = isDeleted(pod) ? [] : this.#resizes.request(uid, pod, { before, desk: this.desk });
    const allocated = this.#resizes.allocated(uid, pod);
    const resize = this.#resizes.newsOf(uid);
    this.workers.set(uid, { fullName, pod: allocated, stage: isDeleted(pod) ? 'going' : 'wanted', eviction, resize });
    if (!isTerminalPhase(pod.status?.phase)) this.desk.letIn(uid, allocated);
    return [...resizing, ...this.objects.staticPresent(uid, pod), sync(uid, { pod: allocated, resize })];
  }

  /** Something has left the node, or some time has passed: who has waited for room may have it now. */
  #retryResizes(): readonly PodManagerEffect[] {
    if (!this.#resizes.isAnyPending) return [];
    return this.#resizes.deferred(this.desired).flatMap((uid) => {
      const [pod, worker] = [this.desired.get(uid), this.workers.get(uid)];
      if (pod === undefined || worker?.stage !== 'wanted') return [];
      const before = this.#resizes.newsOf(uid)?.pending;
      const effects = this.#resizes.request(uid, pod, { before: worker.pod, desk: this.desk });
      const after = this.#resizes.newsOf(uid)?.pending;
      return after?.message === before?.message ? [] : [...effects, ...this.#resized(uid, pod, worker)];
    });
  }

  #resized(uid: PodUid, pod: Pod, worker: Worker): readonly PodManagerEffect[] {
    const [allocated, resize] = [this.#resizes.allocated(uid, pod), this.#resizes.newsOf(uid)];
    this.workers.set(uid, { ...worker, pod: allocated, resize });
    return [sync(uid, { pod: allocated, resize })];
  }

  /** Of the API's pods those that are there already come first, whatever order they are named in. */
  get #canJudge(): boolean {
    return this.#nodeKnown && this.#sources.isComplete('api');
  }

  #judgeWaiting(): readonly PodManagerEffect[] {
    if (!this.#canJudge) return [];
    const waiting = this.desk.takeWaiting().flatMap((uid) => {
      const pod = this.desired.get(uid);
      return pod === undefined || this.workers.has(uid) ? [] : [{ uid, pod }];
    });
    return waiting
      .sort((one, other) => byCreation(one.pod, other.pod))
      .flatMap(({ uid, pod }) => this.#admit(uid, pod));
  }

  #nodeObserved(node: AdmissionNode): readonly PodManagerEffect[] {
    this.desk.nodeChanged(node);
    this.#nodeKnown = true;
    return [...this.#judgeWaiting(), ...this.#retryResizes()];
  }

  /** Who has waited for the name, if it is free now. */
  #admitNext(fullName: string): readonly PodManagerEffect[] {
    const next = this.#names.next(fullName);
    const pod = next === undefined ? undefined : this.desired.get(next);
    return next === undefined || pod === undefined ? [] : this.#admit(next, pod);
  }

  // ---- what the node holds -------------------------------------------------------------------------------------------

  surveyedNode(survey: Survey): readonly PodManagerEffect[] {
    this.surveyed = true;
    const known = { runtimePods: this.#runtimePods.keys(), workers: this.workers };
    const { vanished, missing, found } = newsIn(survey, known);
    const effects: PodManagerEffect[] = vanished.flatMap((uid) => this.#vanished(uid));
    for (const pod of survey.runtimePods) {
      this.#runtimePods.set(pod.podUid, pod);
      if (!this.workers.has(pod.podUid)) this.#names.enter(fullNameOf(pod), pod.podUid);
    }
    effects.push(...missing.flatMap((uid) => this.#startAgain(uid)));
    for (const uid of found) {
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
    return this.surveyed ? this.#admitNext(fullName) : [];
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
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...this.#instruct(uid)];
  }

  /** Whether it is known what is wanted and what there is: whatever is neither is nobody's any more. */
  get knowsAll(): boolean {
    return this.surveyed && (this.#draining || this.#sources.allComplete);
  }

  #runtimeName(uid: PodUid): string {
    const pod = this.#runtimePods.get(uid);
    return pod === undefined ? '' : fullNameOf(pod);
  }

  // ---- workers -------------------------------------------------------------------------------------------------------

  #instruct(uid: PodUid): readonly PodManagerEffect[] {
    return instructions(uid, this.workers.get(uid), this.#runtimePods.get(uid));
  }

  /** A worker that is started anew meanwhile is told again. */
  #evict(command: EvictPod): readonly PodManagerEffect[] {
    const worker = evicted(this.workers.get(command.podUid), command);
    if (worker !== undefined) this.workers.set(command.podUid, worker);
    return worker === undefined ? [] : [evict(command.podUid, command)];
  }

  #startAllAgain(which: (uid: PodUid) => boolean): readonly PodManagerEffect[] {
    return [...this.workers.keys()].filter(which).flatMap((uid) => this.#startAgain(uid));
  }

  #startAgain(uid: PodUid): readonly PodManagerEffect[] {
    if (!this.workers.has(uid)) return [];
    return [{ type: 'start-worker', uid, history: 'maybe-running' }, ...this.#instruct(uid)];
  }

  #ended(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    if (worker?.stage === 'wanted') this.workers.set(uid, { ...worker, stage: 'ended' });
    this.desk.left(uid);
    return this.#retryResizes();
  }

  #removed({ podUid: uid, status, left }: PodTerminated): readonly PodManagerEffect[] {
    const worker = this.workers.get(uid);
    const fullName = worker?.fullName ?? '';
    this.workers.delete(uid);
    this.#names.leave(fullName, uid);
    this.desk.left(uid);
    this.#resizes.forget(uid);
    const pod = this.desired.get(uid);
    const mirror =
      worker?.pod === undefined || (left !== undefined && pod !== undefined)
        ? []
        : this.objects.staticGone(uid, worker.pod);
    if (pod !== undefined && isFromApi(pod) && (isDeleted(pod) || isTerminalPhase(status?.phase))) {
      const last = status ?? terminateStatus(pod, pod.status ?? {});
      return [...this.objects.over(uid, pod, last), ...this.#admitNext(fullName), ...this.#retryResizes()];
    }
    // Wanted again under the same UID while it was going away.
    const again = pod !== undefined ? this.#admit(uid, pod) : left === undefined ? [] : this.#orphan(uid);
    const still = left === undefined || pod === undefined ? [] : this.objects.mirrorStill(uid);
    return [
      { type: 'forget-status', uid },
      ...mirror,
      ...still,
      ...again,
      ...this.#admitNext(fullName),
      ...this.#retryResizes(),
    ];
  }
}
