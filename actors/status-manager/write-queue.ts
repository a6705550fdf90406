import type { PodUid } from '../../src/kube/ids.ts';

/** How long a write may wait for others to join it. */
export type Urgency = 'at-once' | 'soon' | 'later';

const URGENCIES = ['at-once', 'soon', 'later'] as const;
/** A starting pod has several things to say within moments: they become one write. What is set right again has time. */
const WAIT_MS: Readonly<Record<Urgency, number>> = { 'at-once': 0, soon: 200, later: 10_000 };

/**
 * Pods that have something to write, each once, the urgent ones first, then in order of arrival. All that wait equally long
 * stand in one line, so that its head is the first to be due: nothing is ever searched.
 */
export class WriteQueue {
  readonly #lines: Readonly<Record<Urgency, Map<PodUid, number>>> = {
    'at-once': new Map(),
    soon: new Map(),
    later: new Map(),
  };

  get size(): number {
    return URGENCIES.reduce((sum, urgency) => sum + this.#lines[urgency].size, 0);
  }

  /** A pod that waits already may get ahead, and never falls back. */
  add(uid: PodUid, urgency: Urgency, now: number): void {
    for (const line of URGENCIES) {
      if (this.#lines[line].has(uid)) {
        if (URGENCIES.indexOf(line) <= URGENCIES.indexOf(urgency)) return;
        this.#lines[line].delete(uid);
      }
    }
    this.#lines[urgency].set(uid, now + WAIT_MS[urgency]);
  }

  remove(uid: PodUid): void {
    for (const line of URGENCIES) this.#lines[line].delete(uid);
  }

  /** The next pod that is due, and no longer waits then. */
  take(now: number): PodUid | undefined {
    for (const urgency of URGENCIES) {
      const line = this.#lines[urgency];
      const [first] = line;
      if (first === undefined || first[1] > now) continue;
      line.delete(first[0]);
      return first[0];
    }
    return undefined;
  }

  /** When the first is due; it may be in the past. */
  dueAt(): number | undefined {
    let due: number | undefined;
    for (const urgency of URGENCIES) {
      const [first] = this.#lines[urgency];
      if (first !== undefined && (due === undefined || first[1] < due)) due = first[1];
    }
    return due;
  }
}
