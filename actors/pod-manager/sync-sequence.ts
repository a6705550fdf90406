import type { Clock } from '../../src/actor/clock.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodSequenceReport, PodWorkerCommand } from '../pod-worker/protocol.ts';
import type { PodManagerEffect } from './effects.ts';

type Instruction = Extract<PodManagerEffect, { type: 'tell-worker' }>['command'];

/** Instructions that a worker gets again after it has missed one of them. */
const isNumbered = (
  command: Instruction,
): command is Extract<Instruction, { type: 'sync-pod' | 'reconcile-pod' | 'host-ips-changed' }> =>
  command.type === 'sync-pod' || command.type === 'reconcile-pod' || command.type === 'host-ips-changed';

/** Distance between two numbers of one pod within one clock tick. */
const STEP = 2 ** -10;

/**
 * Numbers the instructions to each pod worker. A worker detects overtaken instructions by the number, and the manager
 * detects lost ones. Numbers follow the process's monotonic clock, so a later incarnation's numbers are larger.
 */
export class SyncSequence {
  readonly #latest = new Map<PodUid, number>();

  numbered(
    { uid, command }: Extract<PodManagerEffect, { type: 'tell-worker' }>,
    clock: Pick<Clock, 'monotonic'>,
  ): PodWorkerCommand {
    if (!isNumbered(command)) return command;
    const sequence = Math.max((this.#latest.get(uid) ?? Number.NEGATIVE_INFINITY) + STEP, clock.monotonic());
    this.#latest.set(uid, sequence);
    return { ...command, sequence };
  }

  /** Returns `true` if a worker has missed the latest instruction. */
  hasMissed({ podUid, sequence: seen }: PodSequenceReport): boolean {
    const sequence = this.#latest.get(podUid);
    return sequence !== undefined && seen < sequence;
  }

  forget(uid: PodUid): void {
    this.#latest.delete(uid);
  }
}
