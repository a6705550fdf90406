import type { ActorContext } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { PullingPod } from '../../src/images/provider-account.ts';
import type { SecretAccess } from '../../src/images/pull-records.ts';
import {
  BEGIN_PULL_WITHIN_MS,
  IMAGE_MANAGER,
  type InspectedImage,
  type PulledImage,
  type PullPermission,
} from './protocol.ts';

/** The pod that wants to use an image, and the credentials that it could present. */
export interface AskedFor {
  readonly secrets: readonly SecretAccess[];
  readonly pod?: PullingPod;
}

/**
 * Questions of pod workers to the image manager. Never rejects while the caller lives; `undefined` when no answer came.
 */
export interface NodeImages {
  mayUse(image: string, imageRef: string, asked: AskedFor): Promise<boolean | undefined>;
  beginPull(image: string, pod: PullingPod, inspected?: InspectedImage): Promise<PullPermission | undefined>;
  /**
   * `pulled` is absent when the pull failed or was not made. A missing answer is harmless: the image's credentials
   * count as unknown.
   */
  endPull(image: string, pod: PullingPod, pulled?: PulledImage): Promise<void>;
}

const ANSWER_WITHIN_MS = 15_000;

export function imageManagerClient(context: Pick<ActorContext, 'ref'>): NodeImages {
  const manager = context.ref(IMAGE_MANAGER);
  const answered = <T>(asked: Promise<T>): Promise<T | undefined> => answerOr(asked, () => undefined);
  return {
    async mayUse(image, imageRef, asked) {
      const question = { type: 'may-use-image', image, imageRef, ...asked } as const;
      return (await answered(manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS })))?.mayUse;
    },
    beginPull(image, pod, inspected) {
      const question = { type: 'begin-pull', image, pod, ...(inspected !== undefined && { inspected }) } as const;
      return answered(manager.ask(question, { deadlineMs: BEGIN_PULL_WITHIN_MS }));
    },
    async endPull(image, { uid }, pulled) {
      const question = { type: 'end-pull', image, podUid: uid, ...(pulled !== undefined && { pulled }) } as const;
      await answered(manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS }));
    },
  };
}
