import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { ObservedPod } from './protocol.ts';
import { emptyStatus, type PodRecords } from './pod-records.ts';

/** A question for a pod's status that cannot be answered yet. */
export interface Waiter {
  readonly newerThan: MonotonicMs;
  answer(outcome: CriOutcome<Omit<ObservedPod, 'revision'>>): void;
}

/** A pod with changes in the latest relist that were not inspected yet. */
interface OutdatedPod {
  /** The pod is known as of this monotonic instant. */
  asOf: MonotonicMs;
  /** Begin of the relist that requested the oldest inspection under way. */
  from: MonotonicMs;
  inspections: number;
}

/**
 * Callers that wait for a status newer than the known one (`GetNewerThan`). A pod is known as of the last relist. While
 * an inspection requested by a relist is under way or has failed, the pod is known only as of the previous relist. One pod's
 * inspection never delays the answers for another pod.
 */
export class StatusWaiters {
  readonly #waiting = new Map<PodUid, Waiter[]>();
  readonly #outdated = new Map<PodUid, OutdatedPod>();
  #relistedAt: MonotonicMs = Number.NEGATIVE_INFINITY;

  /** Returns `true` if the question was answered at once. */
  ask(podUid: PodUid, waiter: Waiter, records: PodRecords): boolean {
    const asOf = this.knownAsOf(podUid);
    if (asOf > waiter.newerThan) {
      waiter.answer({
        ok: true,
        value: { status: records.status(podUid) ?? emptyStatus({ podUid }), observedAt: asOf },
      });
      return true;
    }
    const waiters = this.#waiting.get(podUid);
    if (waiters === undefined) this.#waiting.set(podUid, [waiter]);
    else waiters.push(waiter);
    return false;
  }

  /**
   * Records a successful relist that began at `at` and requested `inspections`. Until these end, the relist says nothing
   * about their pods.
   */
  relisted(at: MonotonicMs, inspections: readonly { readonly podUid: PodUid }[], records: PodRecords): void {
    const before = this.#relistedAt;
    this.#relistedAt = at;
    const inspectedAt = new Set(inspections.map(({ podUid }) => podUid));
    for (const [podUid, { inspections: underWay }] of this.#outdated) {
      // No inspection is requested for the pod: the list agrees with the records.
      if (underWay === 0 && !inspectedAt.has(podUid)) this.#outdated.delete(podUid);
    }
    for (const { podUid } of inspections) {
      const outdated = this.#outdated.get(podUid);
      if (outdated === undefined) this.#outdated.set(podUid, { asOf: before, from: at, inspections: 1 });
      else if (outdated.inspections++ === 0) outdated.from = at;
    }
    // A copy of the keys: waiters that still wait are put back at the end of the map and would be visited for ever.
    const waited = [...this.#waiting.keys()];
    for (const podUid of waited) this.#serve(podUid, records);
  }

  /** Records the end of an inspection. A fault is passed on to the pod's waiters: the known status is older than they need. */
  inspected(podUid: PodUid, fault: CriFault | undefined, records: PodRecords): void {
    const outdated = this.#outdated.get(podUid);
    if (outdated !== undefined) {
      outdated.inspections--;
      if (fault !== undefined) outdated.from = outdated.asOf;
      else if (outdated.inspections === 0) outdated.asOf = outdated.from;
      if (outdated.inspections === 0 && outdated.asOf === this.#relistedAt) this.#outdated.delete(podUid);
    }
    if (fault === undefined) this.#serve(podUid, records);
    else for (const waiter of this.#takeWaiters(podUid)) waiter.answer({ ok: false, fault });
  }

  /** Begin of the last successful relist; minus infinity before the first. */
  get relistedAt(): MonotonicMs {
    return this.#relistedAt;
  }

  knownAsOf(podUid: PodUid): MonotonicMs {
    return this.#outdated.get(podUid)?.asOf ?? this.#relistedAt;
  }

  /** `true` if a relist would answer a waiter. A pod that is being inspected waits for its inspection instead. */
  get relistWanted(): boolean {
    for (const podUid of this.#waiting.keys()) if ((this.#outdated.get(podUid)?.inspections ?? 0) === 0) return true;
    return false;
  }

  #serve(podUid: PodUid, records: PodRecords): void {
    for (const waiter of this.#takeWaiters(podUid)) this.ask(podUid, waiter, records);
  }

  #takeWaiters(podUid: PodUid): readonly Waiter[] {
    const waiters = this.#waiting.get(podUid) ?? [];
    this.#waiting.delete(podUid);
    return waiters;
  }
}
