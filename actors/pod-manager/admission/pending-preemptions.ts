import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { podGracePeriod } from '../../../src/pod/sync/grace-period.ts';
import type { Eviction } from '../pod-facts.ts';

/** The kubelet's pod workers wait at least ten seconds for a pod to end, or one and a half times its grace period. */
const AT_LEAST_MS = 10_000;
const TIMEOUT_PER_GRACE_SECOND = 1_500;

const MESSAGE = 'Preempted in order to admit critical pod';

const graceOf = (pod: Pod): number => podGracePeriod({ pod, stored: undefined }).seconds;

/** The event on a preempted pod. */
export const PREEMPTING = { type: 'Warning', reason: 'Preempting', message: MESSAGE } as const;

/** The event on a preempted pod that did not end in time. */
export const EXCEEDED = {
  type: 'Warning',
  reason: 'ExceededGracePeriod',
  message: 'Container runtime did not kill the pod within specified grace period.',
} as const;

/** Ends a pod for a critical one, within the pod's own grace period. */
export const preempted = (pod: Pod): Eviction => ({
  gracePeriodSeconds: graceOf(pod),
  ending: {
    reason: 'Preempting',
    message: MESSAGE,
    disruption: 'yes',
    disruptionMessage: 'Pod was preempted by Kubelet to accommodate a critical pod.',
  },
});

/** How long a critical pod waits for its victims. */
export const victimTimeoutMs = (victims: readonly Pod[]): number =>
  Math.max(AT_LEAST_MS, ...victims.map((pod) => graceOf(pod) * TIMEOUT_PER_GRACE_SECOND));

/**
 * Critical pods that wait for their victims to end. The victims are decided once and kept on disk: a later manager
 * continues with the same victims, however many have gone meanwhile.
 */
export class Preemptions {
  readonly #waiting = new Map<PodUid, Set<PodUid>>();
  readonly #saved: (uid: PodUid) => readonly PodUid[];

  constructor(savedVictims: (uid: PodUid) => readonly PodUid[]) {
    this.#saved = savedVictims;
  }

  /** Returns the victims that an earlier manager chose for the pod; usually none. */
  savedVictims(uid: PodUid): readonly PodUid[] {
    return this.#saved(uid);
  }

  begin(uid: PodUid, victims: readonly PodUid[]): void {
    this.#waiting.set(uid, new Set(victims));
  }

  isWaiting(uid: PodUid): boolean {
    return this.#waiting.has(uid);
  }

  /** Returns `true` if the pod is to end for another pod. */
  isVictim(uid: PodUid): boolean {
    if (this.#waiting.size === 0) return false;
    return [...this.#waiting.values()].some((victims) => victims.has(uid));
  }

  victimsOf(uid: PodUid): readonly PodUid[] {
    return [...(this.#waiting.get(uid) ?? [])];
  }

  /** All victims that have not ended, as far as reported. */
  get victims(): readonly PodUid[] {
    return [...this.#waiting.values()].flatMap((victims) => [...victims]);
  }

  /** Nothing of the victim runs any more. Returns the pods that wait for no other victim. */
  gone(uid: PodUid): readonly PodUid[] {
    const ready: PodUid[] = [];
    for (const [waiting, victims] of this.#waiting) {
      if (victims.delete(uid) && victims.size === 0) ready.push(waiting);
    }
    return ready;
  }

  /** Ends the pod's wait. Returns `true` if the pod waited. */
  end(uid: PodUid): boolean {
    return this.#waiting.delete(uid);
  }
}
