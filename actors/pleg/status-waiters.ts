import type { PodUid } from '../../src/kube/ids.ts';
import type { ObservedPod } from './protocol.ts';
import { emptyStatus, type PodRecords } from './state.ts';

/** A question for a pod's status that cannot be answered yet. */
interface Waiter {
  readonly newerThan: number;
  answer(pod: Omit<ObservedPod, 'revision'>): void;
}

/**
 * Who waits for a status newer than what is known (`GetNewerThan`). A pod is known as of the last relist;
 * while a look that a relist asked for is under way, it is only known as of the look before.
 */
export class StatusWaiters {
  readonly #waiting = new Map<PodUid, Waiter[]>();
  readonly #underInspection = new Map<PodUid, number>();
  #relistedAt = Number.NEGATIVE_INFINITY;

  /** True: answered at once. */
  ask(podUid: PodUid, waiter: Waiter, records: PodRecords): boolean {
    const asOf = this.#knownAsOf(podUid);
    if (asOf > waiter.newerThan) {
      waiter.answer({ status: records.status(podUid) ?? emptyStatus({ podUid }), observedAt: asOf });
      return true;
    }
    const waiters = this.#waiting.get(podUid);
    if (waiters === undefined) this.#waiting.set(podUid, [waiter]);
    else waiters.push(waiter);
    return false;
  }

  relisted(at: number, records: PodRecords): void {
    this.#relistedAt = at;
    for (const podUid of [...this.#waiting.keys()]) this.#serve(podUid, records);
  }

  /** A relist wants this pod looked at: until that is done, the relist says nothing about it. */
  inspecting(podUid: PodUid, asOfBefore: number): void {
    if (!this.#underInspection.has(podUid)) this.#underInspection.set(podUid, asOfBefore);
  }

  inspected(podUid: PodUid, records: PodRecords): void {
    this.#underInspection.delete(podUid);
    this.#serve(podUid, records);
  }

  get relistedAt(): number {
    return this.#relistedAt;
  }

  /** Whether a relist would answer somebody. */
  get anybody(): boolean {
    return this.#waiting.size > 0;
  }

  #serve(podUid: PodUid, records: PodRecords): void {
    const waiters = this.#waiting.get(podUid);
    if (waiters === undefined) return;
    this.#waiting.delete(podUid);
    for (const waiter of waiters) this.ask(podUid, waiter, records);
  }

  #knownAsOf(podUid: PodUid): number {
    return this.#underInspection.get(podUid) ?? this.#relistedAt;
  }
}
