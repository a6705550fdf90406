import { addressOf } from '../../src/actor/messages/message.ts';

/** Kinds of garbage. Each kind has its own timer, and never two passes at once. */
export type Pass = 'containers' | 'images' | 'directories';

/** Own reports. Other actors send only questions. */
export type GarbageCollectorReport = {
  readonly type: 'pass-ended';
  readonly pass: Pass;
  readonly outcome: PassOutcome;
};

/** Own timers. */
export type GarbageCollectorTimer = { readonly type: 'pass-due'; readonly pass: Pass };

export type PassOutcome =
  /** `more`: the pass stopped at its limit, and work is left. */
  { readonly ok: true; readonly more: boolean } | { readonly ok: false; readonly problem: string };

/** Questions from the eviction manager, when the node is short of disk. */
export type GarbageCollectorQuestion =
  /** Removes dead containers: all of ended pods, and all but the newest instance of each container of a living pod. */
  | { readonly type: 'delete-unused-containers' }
  /** Removes every unused image that is at least as old as `imageMinimumGCAge`. */
  | { readonly type: 'delete-unused-images' };

export interface GarbageCollectorProtocol {
  readonly command: GarbageCollectorReport | GarbageCollectorTimer;
  readonly question: GarbageCollectorQuestion;
  readonly answers: {
    readonly 'delete-unused-containers': Reclaimed;
    readonly 'delete-unused-images': Reclaimed;
  };
}

/** The answer comes when the removal is done, or has failed. The caller measures the freed space on the disk. */
export type Reclaimed = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export const GARBAGE_COLLECTOR = addressOf<GarbageCollectorProtocol>('garbage-collector');
