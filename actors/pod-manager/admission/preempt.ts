import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { isCriticalPod } from '../../../src/kube/manifest/static-pod.ts';
import type { PodManagerEffect } from '../effects.ts';
import { evict } from '../pod-facts.ts';
import type { PodTable } from '../pod-table.ts';
import { EXCEEDED, victimTimeoutMs, preempted, PREEMPTING } from './pending-preemptions.ts';
import { evicted } from '../worker-record.ts';

/** A worker that was just adopted may miss the first instruction to end its pod. */
const AGAIN_MS = 5_000;

/** Preempts pods for a critical one (concept: guaranteed scheduling for critical add-on pods). */
export class Preemptor {
  readonly #podTable: PodTable;

  constructor(podTable: PodTable) {
    this.#podTable = podTable;
  }

  /** Returns `true` only for pods of which something runs, because only their end is reported. */
  readonly mayEnd = (uid: PodUid): boolean => {
    const worker = this.#podTable.workers.get(uid);
    return worker?.pod !== undefined && worker.stage !== 'ended';
  };

  /** Starts a preemption. The victims are saved before their workers are instructed. */
  begin(
    uid: PodUid,
    { victims, lacking }: { readonly victims: readonly PodUid[]; readonly lacking: string },
  ): readonly PodManagerEffect[] {
    const events = victims.flatMap((victim): readonly PodManagerEffect[] => {
      const pod = this.#podTable.workers.get(victim)?.pod;
      return pod === undefined ? [] : [{ type: 'record-event', uid: victim, pod, event: PREEMPTING }];
    });
    return [{ type: 'keep-victims', uid, victims, lacking }, ...events, ...this.#await(uid, victims)];
  }

  /** Continues a preemption that an earlier manager began, with the same victims. `undefined` when there is none. */
  resume(uid: PodUid, pod: Pod): readonly PodManagerEffect[] | undefined {
    if (!isCriticalPod(pod)) return undefined;
    const victims = this.#podTable.preemptions.savedVictims(uid);
    if (victims.length === 0) return undefined;
    this.#podTable.nodeAdmission.countAdmitted(uid, pod);
    this.#podTable.nodeAdmission.stopCounting(victims);
    return this.#await(uid, victims, AGAIN_MS);
  }

  /** A pod has become known; it may be a victim. */
  known(uid: PodUid): readonly PodManagerEffect[] {
    return this.#podTable.preemptions.isVictim(uid) ? this.#end(uid) : [];
  }

  /** Returns the pods that wait for no victim any more. */
  settled(): readonly PodUid[] {
    const { preemptions } = this.#podTable;
    return preemptions.victims.filter((uid) => this.#isGone(uid)).flatMap((uid) => preemptions.gone(uid));
  }

  /** The victims' time is over. Returns the events on those that have not ended. */
  overdue(uid: PodUid): readonly PodManagerEffect[] {
    return this.#podTable.preemptions.victimsOf(uid).flatMap((victim): readonly PodManagerEffect[] => {
      const pod = this.#podTable.workers.get(victim)?.pod;
      return pod === undefined ? [] : [{ type: 'record-event', uid: victim, pod, event: EXCEEDED }];
    });
  }

  #await(uid: PodUid, victims: readonly PodUid[], moreMs = 0): readonly PodManagerEffect[] {
    this.#podTable.preemptions.begin(uid, victims);
    const pods = victims.flatMap((victim) => this.#podTable.workers.get(victim)?.pod ?? []);
    return [
      ...victims.flatMap((victim) => this.#end(victim)),
      { type: 'await-victims', uid, withinMs: victimTimeoutMs(pods) + moreMs },
    ];
  }

  /** A pod that already ends for another reason keeps that reason. */
  #end(uid: PodUid): readonly PodManagerEffect[] {
    const worker = this.#podTable.workers.get(uid);
    if (worker?.pod === undefined || worker.eviction !== undefined) return [];
    const eviction = preempted(worker.pod);
    const ending = evicted(worker, eviction);
    if (ending === undefined) return [];
    this.#podTable.workers.set(uid, ending);
    return [evict(uid, eviction)];
  }

  #isGone(uid: PodUid): boolean {
    const { knowsAll, workers, runtimePods, objects } = this.#podTable;
    const worker = workers.get(uid);
    if (worker !== undefined) return worker.stage === 'ended';
    return objects.isOver(uid) || (knowsAll && !runtimePods.has(uid));
  }
}
