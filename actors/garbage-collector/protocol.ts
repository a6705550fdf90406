import { addressOf } from '../../src/actor/messages/message.ts';

/** What is tidied up in one go: each kind on its own timer, and never twice at once. */
export type Pass = 'containers' | 'images' | 'directories';

/** What the garbage collector can be told. All of it comes from itself. */
export type GarbageCollectorCommand =
  | { readonly type: 'pass-due'; readonly pass: Pass }
  | { readonly type: 'pass-ended'; readonly pass: Pass; readonly outcome: PassOutcome };

export type PassOutcome =
  /** `more`: the pass stopped because it had done enough for once. */
  { readonly ok: true; readonly more: boolean } | { readonly ok: false; readonly problem: string };

/** The node runs short of disk: what nobody needs is to go now. */
export type GarbageCollectorQuestion =
  /** Dead containers, beside the newest of each container of a pod that goes on; of pods that have ended, all. */
  | { readonly type: 'delete-unused-containers' }
  /** Every image that no container uses and that is not younger than `imageMinimumGCAge`. */
  | { readonly type: 'delete-unused-images' };

export interface GarbageCollectorProtocol {
  readonly command: GarbageCollectorCommand;
  readonly question: GarbageCollectorQuestion;
  readonly answers: {
    readonly 'delete-unused-containers': Reclaimed;
    readonly 'delete-unused-images': Reclaimed;
  };
}

/** Answered when it is done, or could not be done; what was freed is seen by looking at the disk again. */
export type Reclaimed = { readonly ok: true } | { readonly ok: false; readonly problem: string };

export const GARBAGE_COLLECTOR = addressOf<GarbageCollectorProtocol>('garbage-collector');
