import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import { isConflict, isForbidden, isNotFound, type ApiFault, type ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../src/kube/pod.ts';
import { apiPodView, isOlderVersion, type ApiPodView } from '../../src/pod/source/api-pod-view.ts';
import { type Dropped, droppedOf, OlderServer } from './older-server.ts';
import type { StatusWrite, WantedWrite, WriteFigures } from './protocol.ts';
import { isUrgent, mayWantWrite, wantedWrite } from './wanted-write.ts';
import { WriteQueue, type Urgency } from './write-queue.ts';
import { nextBackOffMs } from '../../src/actor/back-off.ts';

interface PodEntry {
  /** The newest status of this agent. */
  status: PodStatus | undefined;
  /** The newest known API object. */
  object: ApiPodView | undefined;
  /** Nothing of the pod is left on the node, and `status` is its last. */
  finished: boolean;
  /** The API was sent the final deletion of the object. */
  released: boolean;
  /** The known object may be outdated. */
  stale: boolean;
  writing: boolean;
  dropped: Dropped | undefined;
  /** Monotonic time of the first unwritten change; `undefined` when the API has everything. */
  changedSince: MonotonicMs | undefined;
}

/** Failures that deserve a log line. */
export type WriteFailure =
  | { readonly type: 'refused'; readonly fault: ApiFault }
  /** The server does not know this field of a pod's status: it is left out from now on. */
  | { readonly type: 'unknown-field'; readonly field: string };

const AT_ONCE = 24;
const PAUSE = { initialMs: 500, maxMs: 4_000 };

/**
 * Decides which statuses are written to the API, and when. The write is computed only when it is made, by comparing the
 * newest status with the newest known object. So statuses coalesce, nothing is written twice, and no status is lost
 * while its pod is known. A change costs the work for its own pod only. Instants are monotonic.
 */
export class ApiWrites {
  readonly #pods = new Map<PodUid, PodEntry>();
  readonly #queue = new WriteQueue();
  readonly #olderServer = new OlderServer();
  #underWay = 0;
  #pauseMs = 0;
  #pauseUntil: MonotonicMs = 0;
  readonly #wrote: (seconds: number) => void;
  #counts = { patches: 0, deletes: 0, gets: 0, failed: 0 };

  /** `wrote` receives the seconds between a new status and its arrival in the API. */
  constructor(wrote: (seconds: number) => void = () => {}) {
    this.#wrote = wrote;
  }

  /** Records a new status of a pod. */
  statusChanged(uid: PodUid, status: PodStatus, now: MonotonicMs): void {
    const entry = this.#entry(uid);
    // The last status is final: a status from a worker that restarted in between is not newer.
    if (entry.finished) return;
    entry.status = status;
    entry.changedSince ??= now;
    this.#look(uid, entry, { now, atLeast: 'soon' });
  }

  finished(uid: PodUid, status: PodStatus, now: MonotonicMs): void {
    const entry = this.#entry(uid);
    entry.status = status;
    entry.finished = true;
    this.#look(uid, entry, { now, atLeast: 'at-once' });
  }

  objectChanged(uid: PodUid, object: ApiPodView, now: MonotonicMs): void {
    const entry = this.#entry(uid);
    const known = entry.object;
    const isAnother = known?.uid !== object.uid;
    // The agent's own writes come back through the watch after their answers.
    if (!isAnother && !isOlderVersion(known.resourceVersion, object.resourceVersion) && !entry.stale) return;
    entry.object = object;
    entry.stale = false;
    if (isAnother) entry.released = false;
    const isNews = isAnother || entry.finished;
    // Another client has written the status. It is corrected at intervals and not at once: two writers must not fight.
    this.#look(uid, entry, { now, atLeast: isNews ? 'soon' : 'later' });
  }

  objectGone(uid: PodUid, objectUid: string): void {
    const entry = this.#pods.get(uid);
    if (entry?.object?.uid === objectUid) entry.object = undefined;
  }

  /** The known status belongs to an earlier life of the pod; its object stays. */
  startOver(uid: PodUid): void {
    const entry = this.#pods.get(uid);
    if (entry === undefined) return;
    entry.status = undefined;
    entry.finished = false;
    entry.released = false;
  }

  forget(uid: PodUid): void {
    this.#pods.delete(uid);
    this.#queue.remove(uid);
  }

  forgetExcept(kept: ReadonlySet<PodUid>): void {
    for (const uid of this.#pods.keys()) if (!kept.has(uid)) this.forget(uid);
  }

  /** `true` if a write for the pod is under way or waits. */
  isPending(uid: PodUid): boolean {
    return this.#pods.get(uid)?.writing === true || this.#queue.has(uid);
  }

  /** Returns the calls to make now. Each is to be reported to `written` once. */
  next(now: MonotonicMs): readonly StatusWrite[] {
    const writes: StatusWrite[] = [];
    if (now < this.#pauseUntil) return writes;
    // After a failure, one call finds out whether the API works again.
    const atOnce = this.#pauseMs > 0 ? 1 : AT_ONCE;
    while (this.#underWay < atOnce) {
      const uid = this.#queue.take(now);
      if (uid === undefined) break;
      const write = this.#writeOf(uid);
      if (write !== undefined) writes.push(write);
    }
    return writes;
  }

  /** Returns when to ask for the next calls. `undefined`: after the next change. */
  nextAt(now: MonotonicMs): MonotonicMs | undefined {
    const due = this.#queue.dueAt();
    if (due === undefined) return undefined;
    if (now < this.#pauseUntil) return Math.max(due, this.#pauseUntil);
    return due > now ? due : undefined;
  }

  written(
    { podUid, object, wanted }: StatusWrite,
    outcome: ApiOutcome<unknown>,
    now: MonotonicMs,
  ): WriteFailure | undefined {
    this.#underWay -= 1;
    const entry = this.#pods.get(podUid);
    if (entry === undefined) return undefined;
    entry.writing = false;
    if (outcome.ok) {
      this.#pauseMs = 0;
      this.#count(wanted.type);
      if (wanted.type === 'patch' && entry.changedSince !== undefined) {
        this.#wrote((now - entry.changedSince) / 1000);
        entry.changedSince = undefined;
      }
      this.#succeeded(entry, { object, wanted, answer: outcome.value });
      this.#look(podUid, entry, { now, atLeast: 'soon' });
      return undefined;
    }
    this.#counts.failed += 1;
    const { fault } = outcome;
    const field = this.#olderServer.learn(fault);
    if (field !== undefined) {
      this.#look(podUid, entry, { now, atLeast: 'soon' });
      return { type: 'unknown-field', field };
    }
    if (isTrouble(fault)) {
      this.#pauseMs = nextBackOffMs(this.#pauseMs, PAUSE);
      const asked = fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0;
      this.#pauseUntil = Math.max(this.#pauseUntil, later(now, Math.max(this.#pauseMs, asked)));
      this.#look(podUid, entry, { now, atLeast: 'soon' });
      return undefined;
    }
    this.#pauseMs = 0;
    if (isNotFound(fault)) {
      // The object is gone. If it comes back under another UID, the reflector reports that.
      if (wanted.type === 'delete') entry.released = true;
      if (entry.object?.uid === object.uid) entry.object = undefined;
      return undefined;
    }
    if (wanted.type === 'get' && isForbidden(fault)) {
      // From v1.34 on a server lets a node read its own pods only, and a deleted pod is no node's. The watch decides:
      // it reports the end of the pod, or a newer version.
      this.#queue.add(podUid, 'later', now);
      return undefined;
    }
    if (isConflict(fault) || isOfAnother(fault)) {
      // The name belongs to another object, or another writer was faster: the object itself is read.
      entry.stale = true;
      this.#queue.add(podUid, 'soon', now);
      return undefined;
    }
    // The server rejects this status, or this agent's access: retried like any other difference.
    this.#queue.add(podUid, 'later', now);
    return { type: 'refused', fault };
  }

  figures(): WriteFigures {
    return { ...this.#counts, waiting: this.#queue.size + this.#underWay };
  }

  #entry(uid: PodUid): PodEntry {
    const known = this.#pods.get(uid);
    if (known !== undefined) return known;
    const entry: PodEntry = {
      status: undefined,
      object: undefined,
      finished: false,
      released: false,
      stale: false,
      writing: false,
      dropped: undefined,
      changedSince: undefined,
    };
    this.#pods.set(uid, entry);
    return entry;
  }

  /** Queues the pod if there is something to write. */
  #look(
    uid: PodUid,
    entry: PodEntry,
    { now, atLeast }: { readonly now: MonotonicMs; readonly atLeast: Urgency },
  ): void {
    if (entry.writing || !mayWantWrite(entry, (status) => this.#olderServer.known(status))) return;
    const urgent = entry.status !== undefined && atLeast !== 'later' && isUrgent(entry);
    this.#queue.add(uid, urgent ? 'at-once' : atLeast, now);
  }

  #writeOf(uid: PodUid): StatusWrite | undefined {
    const entry = this.#pods.get(uid);
    if (entry?.object === undefined || entry.writing) return undefined;
    const wanted = entry.stale ? ({ type: 'get' } as const) : this.#wanted(entry);
    if (wanted === undefined) return undefined;
    entry.writing = true;
    this.#underWay += 1;
    return { podUid: uid, object: entry.object, wanted };
  }

  #wanted(entry: PodEntry): WantedWrite | undefined {
    return wantedWrite(entry, (status) => this.#olderServer.known(status));
  }

  #succeeded(
    entry: PodEntry,
    { object, wanted, answer }: Pick<StatusWrite, 'object' | 'wanted'> & { readonly answer: unknown },
  ): void {
    // Another object has replaced it meanwhile.
    if (entry.object?.uid !== object.uid) return;
    switch (wanted.type) {
      case 'delete':
        entry.released = true;
        return;
      case 'get': {
        entry.stale = false;
        const found = objectOf(answer);
        // A pod of the same name is not this pod.
        entry.object = found?.uid === object.uid ? found : undefined;
        return;
      }
      case 'patch': {
        const found = objectOf(answer) ?? { ...object, status: wanted.status };
        entry.dropped = droppedOf(wanted.status, found.status, found.resourceVersion);
        if (!isOlderVersion(found.resourceVersion, entry.object.resourceVersion)) entry.object = found;
      }
    }
  }

  #count(type: StatusWrite['wanted']['type']): void {
    if (type === 'patch') this.#counts.patches += 1;
    else if (type === 'delete') this.#counts.deletes += 1;
    else this.#counts.gets += 1;
  }
}

/** Returns `true` if the patch named another UID than the object's: no server lets a UID change. */
const isOfAnother = (fault: ApiFault): boolean =>
  fault.kind === 'refused' && fault.code === 422 && fault.message.includes('metadata.uid');

/** Returns `true` for failures of the API as a whole, not of this write. */
const isTrouble = (fault: ApiFault): boolean => fault.kind !== 'refused' || fault.code === 429 || fault.code >= 500;

/** Returns the object of an answer. An API server answers with the whole pod; other answers are not used. */
function objectOf(answer: unknown): ApiPodView | undefined {
  if (typeof answer !== 'object' || answer === null || !('metadata' in answer)) return undefined;
  // The server answered this agent's own patch of a pod, so the answer is a pod.
  const pod = answer as Pod;
  return typeof pod.metadata.uid === 'string' ? apiPodView(pod) : undefined;
}
