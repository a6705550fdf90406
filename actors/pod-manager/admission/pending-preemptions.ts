import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { podGracePeriod } from '../../../src/pod/sync/grace-period.ts';
import type { Eviction } from '../pod-facts.ts';

/** Others of a worker's kind wait ten seconds at least for a pod to end, and half as long again as it may take. */
const AT_LEAST_MS = 10_000;
const PATIENCE = 1_500;

const MESSAGE = 'Preempted in order to admit critical pod';

const graceOf = (pod: Pod): number => podGracePeriod({ pod, stored: undefined }).seconds;

/** What a victim's users are told. */
export const PREEMPTING = { type: 'Warning', reason: 'Preempting', message: MESSAGE } as const;

/** And those of one that has not ended in its time. */
export const EXCEEDED = {
  type: 'Warning',
  reason: 'ExceededGracePeriod',
  message: 'Container runtime did not kill the pod within specified grace period.',
} as const;

/** How a pod ends that makes room for a critical one: in its own time. */
export const preempted = (pod: Pod): Eviction => ({
  gracePeriodSeconds: graceOf(pod),
  ending: {
    reason: 'Preempting',
    message: MESSAGE,
    disruption: 'yes',
    disruptionMessage: 'Pod was preempted by Kubelet to accommodate a critical pod.',
  },
});

/** How long a critical pod waits for those. */
export const patienceMs = (victims: readonly Pod[]): number =>
  Math.max(AT_LEAST_MS, ...victims.map((pod) => graceOf(pod) * PATIENCE));

/**
 * Critical pods that wait for others to end. Who these are is decided once and kept on disk: a manager that takes over
 * goes on with the same ones, however many of them have gone meanwhile.
 */
export class Preemptions {
  readonly #waiting = new Map<PodUid, Set<PodUid>>();
  readonly #recall: (uid: PodUid) => readonly PodUid[];

  constructor(recall: (uid: PodUid) => readonly PodUid[]) {
    this.#recall = recall;
  }

  /** Who was to end for the pod before this manager; nobody, most of the time. */
  recalled(uid: PodUid): readonly PodUid[] {
    return this.#recall(uid);
  }

  begin(uid: PodUid, victims: readonly PodUid[]): void {
    this.#waiting.set(uid, new Set(victims));
  }

  isWaiting(uid: PodUid): boolean {
    return this.#waiting.has(uid);
  }

  /** Whether the pod is to end for another. */
  isVictim(uid: PodUid): boolean {
    if (this.#waiting.size === 0) return false;
    return [...this.#waiting.values()].some((victims) => victims.has(uid));
  }

  victimsOf(uid: PodUid): readonly PodUid[] {
    return [...(this.#waiting.get(uid) ?? [])];
  }

  /** All that are to end and, as far as it was told, have not. */
  get victims(): readonly PodUid[] {
    return [...this.#waiting.values()].flatMap((victims) => [...victims]);
  }

  /** Nothing of it runs any more: those who wait for nobody else may come now. */
  gone(uid: PodUid): readonly PodUid[] {
    const ready: PodUid[] = [];
    for (const [waiting, victims] of this.#waiting) {
      if (victims.delete(uid) && victims.size === 0) ready.push(waiting);
    }
    return ready;
  }

  /** It waits no longer. Whether it did. */
  end(uid: PodUid): boolean {
    return this.#waiting.delete(uid);
  }
}
