import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { isMirrorPod } from '../../src/kube/manifest/static-pod.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import { objectSeen } from './api-objects.ts';
import type { PodManagerEffect } from './effects.ts';
import type { Entrance } from './admission/admit-pods.ts';
import type { Holdings } from './present-pods.ts';
import { sync } from './instructions.ts';
import type { PodBook } from './pod-table.ts';
import { isDeleted, isFromApi, sourceOf } from './pod-facts.ts';
import { sameGates, samePod } from './same-pod.ts';
import type { Worker } from './worker-record.ts';

/** What the sources want on this node. */
export class Wishes {
  readonly #book: PodBook;
  readonly #entrance: Entrance;
  readonly #holdings: Holdings;

  constructor(book: PodBook, entrance: Entrance, holdings: Holdings) {
    this.#book = book;
    this.#entrance = entrance;
    this.#holdings = holdings;
  }

  /** A source says what it wants from now on, and what not any more. */
  sourceChanged(change: PodSourceChange): readonly PodManagerEffect[] {
    const heard = this.#book.sources.hear(change);
    if (heard.type === 'stale') return [];
    if (heard.type === 'incomplete') return [{ type: 'ask-source', source: change.source }];
    // A pod that is gone may make room for one that comes: it goes first.
    const wanted = this.#book.draining ? [] : this.#entrance.inOrder(change.set);
    const effects: PodManagerEffect[] = [
      ...change.gone.flatMap((uid) => this.unwanted(uid)),
      ...wanted.flatMap((pod) => this.#wanted(pod)),
    ];
    if (change.gone.length > 0) effects.push(...this.#entrance.retryResizes());
    if (heard.type !== 'all') return effects;
    // What the source wanted before it, or this manager, started anew.
    const dropped = [...this.#book.desired].filter(
      ([uid, pod]) => !heard.named.has(uid) && sourceOf(pod) === change.source,
    );
    return [
      ...effects,
      ...(change.source === 'api' ? this.#book.objects.mirrorsBut(heard.named) : []),
      ...dropped.flatMap(([uid]) => this.unwanted(uid)),
      ...this.#entrance.judgeWaiting(),
      ...this.#holdings.sweep(),
    ];
  }

  #wanted(pod: Pod): readonly PodManagerEffect[] {
    const uid = podUid(pod.metadata.uid);
    if (!isFromApi(pod)) return this.#wantedHere(uid, pod);
    if (isMirrorPod(pod)) return this.#book.objects.mirrorSeen(pod);
    return [...objectSeen(uid, pod), ...this.#wantedHere(uid, pod)];
  }

  #wantedHere(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    const before = this.#book.desired.get(uid);
    const worker = this.#book.workers.get(uid);
    if (before !== undefined && samePod(before, pod)) {
      if (before !== pod && isFromApi(pod)) return this.#reconcile(uid, { before, pod, worker });
      return [];
    }
    this.#book.desired.set(uid, pod);
    if (this.#book.objects.isOver(uid)) return [];
    if (worker === undefined) return this.#book.surveyed ? this.#entrance.admit(uid, pod) : [];
    if (isDeleted(pod)) {
      const going: Worker & { readonly pod: Pod } = {
        ...worker,
        pod: this.#book.resizes.allocated(uid, pod),
        stage: 'going',
      };
      this.#book.workers.set(uid, going);
      return [sync(uid, { pod: going.pod, resize: going.resize })];
    }
    // While it is taken away it is wanted again: its worker leaves what the next one can go on from.
    if (worker.stage === 'going' && !isFromApi(pod))
      return [{ type: 'tell-worker', uid, command: { type: 'sync-pod', pod } }];
    if (worker.stage !== 'wanted') return [];
    return this.#entrance.sync(uid, pod);
  }

  /** Only its status is another: the worker minds nothing of it but what others say of its readiness. */
  #reconcile(
    uid: PodUid,
    { before, pod, worker }: { readonly before: Pod; readonly pod: Pod; readonly worker: Worker | undefined },
  ): readonly PodManagerEffect[] {
    this.#book.desired.set(uid, pod);
    if (isTerminalPhase(pod.status?.phase)) this.#book.desk.left(uid);
    if (worker?.pod === undefined) return [];
    const allocated = this.#book.resizes.allocated(uid, pod);
    this.#book.workers.set(uid, { ...worker, pod: allocated });
    // Somebody has said of it that it is over. Where its worker has said so, that knows.
    const isOver = isTerminalPhase(pod.status?.phase) && !isTerminalPhase(before.status?.phase);
    if (sameGates(before, pod) && !(isOver && worker.stage === 'wanted')) return [];
    return [{ type: 'tell-worker', uid, command: { type: 'reconcile-pod', pod: allocated } }];
  }

  /** It is taken away, if it is there. */
  unwanted(uid: PodUid): readonly PodManagerEffect[] {
    if (this.#book.objects.hasMirror(uid)) return this.#book.objects.mirrorGone(uid);
    const pod = this.#book.desired.get(uid);
    if (pod === undefined) return [];
    this.#book.desired.delete(uid);
    this.#book.names.waitNoMore(podFullName(pod), uid);
    const worker = this.#book.workers.get(uid);
    const effects: PodManagerEffect[] = [];
    if (isFromApi(pod)) {
      effects.push({
        type: 'tell-status',
        uid,
        command: { type: 'api-pod-gone', podUid: uid, objectUid: pod.metadata.uid },
      });
    }
    if (worker !== undefined)
      return [...effects, ...this.#holdings.takeAway(uid, worker, isFromApi(pod) ? 0 : undefined)];
    this.#book.desk.left(uid);
    if (this.#book.preemptions.end(uid)) effects.push({ type: 'keep-victims', uid, victims: [] });
    const wasOver = this.#book.objects.forget(uid);
    if (isFromApi(pod) || wasOver) effects.push({ type: 'forget-status', uid });
    effects.push(...this.#book.objects.staticGone(uid, pod));
    // Not started yet: if it runs all the same, it is found as an orphan. Of one that is over nothing was left.
    return wasOver ? effects : [...effects, ...this.#holdings.orphan(uid)];
  }
}
