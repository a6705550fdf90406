import type { Clock } from '../../src/actor/clock.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodHeard, PodWorkerCommand } from '../pod-worker/protocol.ts';
import type { PodManagerEffect } from './effects.ts';

/** Between two numbers of one pod, where the clock has not moved. */
const STEP = 2 ** -10;

/**
 * Numbers what workers are told of their pods, so that one finds out what has been overtaken on its way, and this side what
 * has got lost. The scale is the process's own monotonic one: a later incarnation's numbers are larger.
 */
export class ToldPods {
  readonly #told = new Map<PodUid, number>();

  numbered(
    { uid, command }: Extract<PodManagerEffect, { type: 'tell-worker' }>,
    clock: Pick<Clock, 'monotonic'>,
  ): PodWorkerCommand {
    if (command.type !== 'sync-pod' && command.type !== 'reconcile-pod') return command;
    const told = Math.max((this.#told.get(uid) ?? Number.NEGATIVE_INFINITY) + STEP, clock.monotonic());
    this.#told.set(uid, told);
    return { ...command, told };
  }

  /** Whether a worker has missed what it was told last. */
  hasMissed({ podUid, told: heard }: PodHeard): boolean {
    const told = this.#told.get(podUid);
    return told !== undefined && heard < told;
  }

  forget(uid: PodUid): void {
    this.#told.delete(uid);
  }
}
