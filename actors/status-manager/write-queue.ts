import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { PodUid } from '../../src/kube/ids.ts';

/** How long a write may wait for others to join it. */
export type Urgency = 'at-once' | 'soon' | 'later';

const URGENCIES = ['at-once', 'soon', 'later'] as const;
/** A starting pod changes its status several times within moments: these become one write. Corrections have time. */
const WAIT_MS: Readonly<Record<Urgency, number>> = { 'at-once': 0, soon: 200, later: 10_000 };

/**
 * Pods with something to write, each once, urgent pods first, then in order of arrival. Pods with equal waits share one
 * line, so its head is always due first: nothing is searched.
 */
export class WriteQueue {
  readonly #lines: Readonly<Record<Urgency, Map<PodUid, MonotonicMs>>> = {
    'at-once': new Map(),
    soon: new Map(),
    later: new Map(),
  };

  get size(): number {
    return URGENCIES.reduce((sum, urgency) => sum + this.#lines[urgency].size, 0);
  }

  /** A waiting pod may move forward, and never moves back. */
  add(uid: PodUid, urgency: Urgency, now: MonotonicMs): void {
    for (const line of URGENCIES) {
      if (this.#lines[line].has(uid)) {
        if (URGENCIES.indexOf(line) <= URGENCIES.indexOf(urgency)) return;
        this.#lines[line].delete(uid);
      }
    }
    this.#lines[urgency].set(uid, later(now, WAIT_MS[urgency]));
  }

  has(uid: PodUid): boolean {
    return URGENCIES.some((line) => this.#lines[line].has(uid));
  }

  remove(uid: PodUid): void {
    for (const line of URGENCIES) this.#lines[line].delete(uid);
  }

  /** Removes and returns the next pod that is due. */
  take(now: MonotonicMs): PodUid | undefined {
    for (const urgency of URGENCIES) {
      const line = this.#lines[urgency];
      const [first] = line;
      if (first === undefined || first[1] > now) continue;
      line.delete(first[0]);
      return first[0];
    }
    return undefined;
  }

  /** Returns when the first pod is due; may be in the past. */
  dueAt(): MonotonicMs | undefined {
    let due: MonotonicMs | undefined;
    for (const urgency of URGENCIES) {
      const [first] = this.#lines[urgency];
      if (first !== undefined && (due === undefined || first[1] < due)) due = first[1];
    }
    return due;
  }
}
