import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { ObservedPod } from './protocol.ts';
import { emptyStatus, type PodRecords } from './pod-records.ts';

/** A question for a pod's status that cannot be answered yet. */
export interface Waiter {
  readonly newerThan: number;
  answer(outcome: CriOutcome<Omit<ObservedPod, 'revision'>>): void;
}

/** A pod of which the latest relist told something that has not been looked at yet. */
interface Behind {
  /** What is known of it is known as of this instant. */
  asOf: number;
  /** The relist that asked for the oldest look under way. */
  from: number;
  looks: number;
}

/**
 * Who waits for a status newer than what is known (`GetNewerThan`). A pod is known as of the last relist; while a look
 * that a relist asked for is under way or has failed, it is only known as of the relist before. One pod's look never keeps
 * another's waiters waiting.
 */
export class StatusWaiters {
  readonly #waiting = new Map<PodUid, Waiter[]>();
  readonly #behind = new Map<PodUid, Behind>();
  #relistedAt = Number.NEGATIVE_INFINITY;

  /** True: answered at once. */
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

  /** A relist begun at `at` has succeeded, and asks for `looks`: until they have ended it says nothing of their pods. */
  relisted(at: number, looks: readonly { readonly podUid: PodUid }[], records: PodRecords): void {
    const before = this.#relistedAt;
    this.#relistedAt = at;
    const lookedAt = new Set(looks.map(({ podUid }) => podUid));
    for (const [podUid, { looks: underWay }] of this.#behind) {
      // Nothing of it is asked for again: the list and what is known say the same.
      if (underWay === 0 && !lookedAt.has(podUid)) this.#behind.delete(podUid);
    }
    for (const { podUid } of looks) {
      const behind = this.#behind.get(podUid);
      if (behind === undefined) this.#behind.set(podUid, { asOf: before, from: at, looks: 1 });
      else if (behind.looks++ === 0) behind.from = at;
    }
    // Not the map itself: whoever still waits is put back at its end, and would be met again for ever.
    const waited = [...this.#waiting.keys()];
    for (const podUid of waited) this.#serve(podUid, records);
  }

  /** A look has ended. With a fault, whoever waits for its pod is told: what is known is older than they need. */
  looked(podUid: PodUid, fault: CriFault | undefined, records: PodRecords): void {
    const behind = this.#behind.get(podUid);
    if (behind !== undefined) {
      behind.looks--;
      if (fault !== undefined) behind.from = behind.asOf;
      else if (behind.looks === 0) behind.asOf = behind.from;
      if (behind.looks === 0 && behind.asOf === this.#relistedAt) this.#behind.delete(podUid);
    }
    if (fault === undefined) this.#serve(podUid, records);
    else for (const waiter of this.#taken(podUid)) waiter.answer({ ok: false, fault });
  }

  /** When the last relist that succeeded was begun; minus infinity before the first. */
  get relistedAt(): number {
    return this.#relistedAt;
  }

  knownAsOf(podUid: PodUid): number {
    return this.#behind.get(podUid)?.asOf ?? this.#relistedAt;
  }

  /** Whether a relist would answer somebody. A pod that is being looked at has to wait for that. */
  get relistWanted(): boolean {
    for (const podUid of this.#waiting.keys()) if ((this.#behind.get(podUid)?.looks ?? 0) === 0) return true;
    return false;
  }

  #serve(podUid: PodUid, records: PodRecords): void {
    for (const waiter of this.#taken(podUid)) this.ask(podUid, waiter, records);
  }

  #taken(podUid: PodUid): readonly Waiter[] {
    const waiters = this.#waiting.get(podUid) ?? [];
    this.#waiting.delete(podUid);
    return waiters;
  }
}
