import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ScheduledCall } from './call-schedule.ts';

interface Creation {
  readonly call: Pick<ScheduledCall, 'caller' | 'incarnation'>;
  /** `true` if a caller was answered that this call is lost. */
  readonly isAdopted: boolean;
  readonly endedAt: MonotonicMs;
}

/**
 * More than the number of pods that may have a creation between a look at the runtime and the decision based on that
 * look.
 */
const KEPT = 20_000;

/**
 * The latest finished creation of each pod. An actor that looked at the runtime before its end does not know of that
 * creation.
 */
export class LatestCreations {
  readonly #byPod = new Map<string, Creation>();

  ended(call: ScheduledCall, { isAdopted, at }: { readonly isAdopted: boolean; readonly at: MonotonicMs }): void {
    const { podUid, effect, caller, incarnation } = call;
    if (effect !== 'creates' || podUid === undefined) return;
    this.#byPod.delete(podUid);
    this.#byPod.set(podUid, { call: { caller, incarnation }, isAdopted, endedAt: at });
    if (this.#byPod.size <= KEPT) return;
    for (const oldest of this.#byPod.keys()) return void this.#byPod.delete(oldest);
  }

  /** `true` if a creation unknown to this caller ended after the caller looked at the runtime. */
  isNewsTo(call: ScheduledCall, observedAt: MonotonicMs | undefined): boolean {
    if (call.effect !== 'creates' || call.podUid === undefined || observedAt === undefined) return false;
    const latest = this.#byPod.get(call.podUid);
    if (latest === undefined || latest.endedAt < observedAt) return false;
    return latest.isAdopted || (latest.call.caller === call.caller && latest.call.incarnation < call.incarnation);
  }
}
