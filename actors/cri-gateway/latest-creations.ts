import type { ScheduledCall } from './call-schedule.ts';

interface Creation {
  readonly call: Pick<ScheduledCall, 'caller' | 'incarnation'>;
  /** Somebody was told that it is lost. */
  readonly isAdopted: boolean;
  readonly endedAt: number;
}

/** More pods than have something made for them between a look at the runtime and what is decided on it. */
const KEPT = 20_000;

/** The call that made something for a pod and ended last: whoever looked at the runtime before does not know of it. */
export class LatestCreations {
  readonly #byPod = new Map<string, Creation>();

  ended(call: ScheduledCall, { isAdopted, at }: { readonly isAdopted: boolean; readonly at: number }): void {
    const { podUid, effect, caller, incarnation } = call;
    if (effect !== 'creates' || podUid === undefined) return;
    this.#byPod.delete(podUid);
    this.#byPod.set(podUid, { call: { caller, incarnation }, isAdopted, endedAt: at });
    if (this.#byPod.size <= KEPT) return;
    for (const oldest of this.#byPod.keys()) return void this.#byPod.delete(oldest);
  }

  /** Whether one that this caller does not know of ended after it had looked at the runtime. */
  isNewsTo(call: ScheduledCall, lookedAt: number | undefined): boolean {
    if (call.effect !== 'creates' || call.podUid === undefined || lookedAt === undefined) return false;
    const latest = this.#byPod.get(call.podUid);
    if (latest === undefined || latest.endedAt < lookedAt) return false;
    return latest.isAdopted || (latest.call.caller === call.caller && latest.call.incarnation < call.incarnation);
  }
}
