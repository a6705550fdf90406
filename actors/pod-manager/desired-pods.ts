import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { isMirrorPod } from '../../src/kube/manifest/static-pod.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import { objectSeen, staticUidOf } from './api-objects.ts';
import type { PodManagerEffect } from './effects.ts';
import type { PodAdmitter } from './admission/admit-pods.ts';
import type { PresentPods } from './present-pods.ts';
import { sync } from './instructions.ts';
import type { PodTable } from './pod-table.ts';
import { isDeleted, isFromApi, sourceOf } from './pod-facts.ts';
import type { PodManagerProtocol } from './protocol.ts';
import { sameGates, samePod } from './same-pod.ts';
import type { Worker } from './worker-record.ts';

const isMirror = (pod: Pod): boolean => isFromApi(pod) && isMirrorPod(pod);

type PodRead = Extract<PodManagerProtocol['command'], { type: 'pod-read' }>;

/** The pods that the sources want on this node. */
export class DesiredPods {
  readonly #podTable: PodTable;
  readonly #admitter: PodAdmitter;
  readonly #presentPods: PresentPods;

  constructor(podTable: PodTable, admitter: PodAdmitter, presentPods: PresentPods) {
    this.#podTable = podTable;
    this.#admitter = admitter;
    this.#presentPods = presentPods;
  }

  /** Records a source's change: pods it wants from now on, and pods it no longer wants. */
  sourceChanged(change: PodSourceChange): readonly PodManagerEffect[] {
    const isFirstList = !this.#podTable.sources.isComplete(change.source);
    const received = this.#podTable.sources.receive(change);
    if (received.type === 'stale') return [];
    if (received.type === 'incomplete') return [{ type: 'ask-source', source: change.source }];
    // A pod that is gone may make room for a new one, so removals go first.
    const wanted = this.#podTable.draining ? [] : this.#admitter.inOrder(change.set);
    const effects: PodManagerEffect[] = [
      ...change.gone.flatMap((uid) => this.unwanted(uid)),
      ...wanted.flatMap((pod) => (isFirstList && isMirror(pod) ? this.#earlierMirror(pod) : this.#wanted(pod))),
    ];
    if (change.gone.length > 0) effects.push(...this.#admitter.retryResizes());
    if (received.type !== 'all') return effects;
    // Pods wanted before the source, or this manager, restarted.
    const dropped = [...this.#podTable.desired].filter(
      ([uid, pod]) => !received.named.has(uid) && sourceOf(pod) === change.source,
    );
    return [
      ...effects,
      ...(change.source === 'api' ? this.#podTable.objects.mirrorsExcept(received.named) : []),
      ...dropped.flatMap(([uid]) => this.#unnamed(uid)),
      ...this.#admitter.judgeWaiting(),
      ...this.#presentPods.sweep(),
    ];
  }

  /** The source has named all its pods, and this one is not among them. */
  #unnamed(uid: PodUid): readonly PodManagerEffect[] {
    const pod = this.#podTable.desired.get(uid);
    if (pod === undefined || !isFromApi(pod) || this.#podTable.draining) return this.unwanted(uid);
    // A source that restarts does not know a pod that it cannot read.
    if (!this.#podTable.doubted.begin(uid)) return [];
    const { namespace, name } = pod.metadata;
    return [{ type: 'read-pod', uid, namespace, name }];
  }

  /** The server was asked for a pod that no source names. A pod that the server has stays as it is. */
  readOnServer(read: PodRead): readonly PodManagerEffect[] {
    const { podUid: uid, server } = read;
    if (!this.#podTable.doubted.has(uid)) return [];
    this.#podTable.doubted.answered(uid, server);
    if (server === 'has-pod') return [];
    return this.#podTable.desired.has(uid) ? this.unwanted(uid) : this.#presentPods.absent(uid);
  }

  /** Time has passed: the pods that only the server named are asked for again. */
  askAgain(): readonly PodManagerEffect[] {
    return this.#podTable.doubted
      .expire()
      .flatMap((uid) => (this.#podTable.desired.has(uid) ? this.#unnamed(uid) : []));
  }

  #wanted(pod: Pod): readonly PodManagerEffect[] {
    const uid = podUid(pod.metadata.uid);
    this.#podTable.doubted.settled(uid);
    if (!isFromApi(pod)) return this.#wantedOnNode(uid, pod);
    if (isMirror(pod)) return this.#podTable.objects.mirrorSeen(pod);
    return [...objectSeen(uid, pod), ...this.#wantedOnNode(uid, pod)];
  }

  /** A static pod may have started before the API named its mirror pod, with the pod's earlier status. */
  #earlierMirror(mirror: Pod): readonly PodManagerEffect[] {
    const effects = this.#podTable.objects.earlierMirrorSeen(mirror);
    const uid = staticUidOf(mirror);
    const worker = this.#podTable.workers.get(uid);
    if (worker?.pod === undefined || worker.stage !== 'wanted') return effects;
    const pod = this.#podTable.objects.withEarlierStatus(uid, worker.pod);
    if (pod === worker.pod) return effects;
    this.#podTable.workers.set(uid, { ...worker, pod });
    return [...effects, { type: 'tell-worker', uid, command: { type: 'reconcile-pod', pod } }];
  }

  #wantedOnNode(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const before = this.#podTable.desired.get(uid);
    const worker = this.#podTable.workers.get(uid);
    if (before !== undefined && samePod(before, pod)) {
      if (before !== pod && isFromApi(pod)) return this.#reconcile(uid, { before, pod, worker });
      return [];
    }
    this.#podTable.desired.set(uid, pod);
    if (this.#podTable.objects.isOver(uid)) return [];
    if (worker === undefined) return this.#podTable.surveyed ? this.#admitter.admit(uid, pod) : [];
    if (isDeleted(pod)) {
      const going: Worker & { readonly pod: Pod } = {
        ...worker,
        pod: this.#podTable.resizes.allocated(uid, pod),
        stage: 'going',
      };
      this.#podTable.workers.set(uid, going);
      return [sync(uid, { pod: going.pod, resize: going.resize })];
    }
    // The pod is wanted again while its worker removes it. The worker leaves what the next worker can continue from.
    if (worker.stage === 'going' && !isFromApi(pod))
      return [{ type: 'tell-worker', uid, command: { type: 'sync-pod', pod } }];
    if (worker.stage !== 'wanted') return [];
    return this.#admitter.sync(uid, pod);
  }

  /** Only the status differs. The worker uses nothing of it but the readiness conditions that others set. */
  #reconcile(
    uid: PodUid,
    { before, pod, worker }: { readonly before: Pod; readonly pod: Pod; readonly worker: Worker | undefined },
  ): readonly PodManagerEffect[] {
    this.#podTable.desired.set(uid, pod);
    if (isTerminalPhase(pod.status?.phase)) this.#podTable.nodeAdmission.podLeft(uid);
    if (worker?.pod === undefined) return [];
    const allocated = this.#podTable.resizes.allocated(uid, pod);
    this.#podTable.workers.set(uid, { ...worker, pod: allocated });
    // Another client has ended the pod in the API. A pod that its worker reported as ended is known already.
    const isOver = isTerminalPhase(pod.status?.phase) && !isTerminalPhase(before.status?.phase);
    if (sameGates(before, pod) && !(isOver && worker.stage === 'wanted')) return [];
    return [{ type: 'tell-worker', uid, command: { type: 'reconcile-pod', pod: allocated } }];
  }

  /** Removes the pod if it is on the node. */
  unwanted(uid: PodUid): readonly PodManagerEffect[] {
    if (this.#podTable.objects.hasMirror(uid)) return this.#podTable.objects.mirrorGone(uid);
    const pod = this.#podTable.desired.get(uid);
    if (pod === undefined) return [];
    this.#podTable.doubted.settled(uid);
    this.#podTable.objects.lifeEnds(uid);
    this.#podTable.desired.delete(uid);
    this.#podTable.names.waitNoMore(podFullName(pod), uid);
    const worker = this.#podTable.workers.get(uid);
    const effects: PodManagerEffect[] = [];
    if (isFromApi(pod)) {
      effects.push({
        type: 'tell-status',
        uid,
        command: { type: 'api-pod-gone', podUid: uid, objectUid: pod.metadata.uid },
      });
    }
    if (worker !== undefined)
      return [...effects, ...this.#presentPods.removePod(uid, worker, isFromApi(pod) ? 0 : undefined)];
    this.#podTable.nodeAdmission.podLeft(uid);
    if (this.#podTable.preemptions.end(uid)) effects.push({ type: 'keep-victims', uid, victims: [] });
    const wasOver = this.#podTable.objects.forget(uid);
    if (isFromApi(pod) || wasOver) effects.push({ type: 'forget-status', uid });
    effects.push(...this.#podTable.objects.staticGone(uid, pod));
    // The pod was not started yet. If it runs anyway, it is found as an orphan. An ended pod left nothing behind.
    return wasOver ? effects : [...effects, ...this.#presentPods.orphan(uid)];
  }
}
