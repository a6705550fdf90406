import type { ActorContext } from '../src/actor/actor.ts';
import { ActorFault } from '../src/actor/fault.ts';
import type { SecretAccess } from '../src/images/pull-records.ts';
import {
  BEGIN_PULL_WITHIN_MS,
  IMAGE_MANAGER,
  type ImageManagerProtocol,
  type PulledImage,
  type PullLeave,
} from './image-manager/protocol.ts';

/** What pod workers ask the image manager. Nothing here ever rejects while its caller lives; undefined: no answer came. */
export interface NodeImages {
  mayUse(image: string, imageRef: string, secrets: readonly SecretAccess[]): Promise<boolean | undefined>;
  beginPull(image: string): Promise<PullLeave | undefined>;
  /** Without `pulled`, it failed. That no answer came does no harm: whose image it is counts as not known. */
  endPull(image: string, pulled?: PulledImage): Promise<void>;
}

const ANSWER_WITHIN_MS = 15_000;

export function imagesThroughManager(context: Pick<ActorContext, 'ref'>): NodeImages {
  const manager = context.ref<ImageManagerProtocol>(IMAGE_MANAGER);
  async function answered<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (fault) {
      // A dead incarnation has nothing left to decide.
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return undefined;
    }
  }
  return {
    async mayUse(image, imageRef, secrets) {
      const question = { type: 'may-use-image', image, imageRef, secrets } as const;
      return (await answered(manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS })))?.mayUse;
    },
    beginPull: (image) => answered(manager.ask({ type: 'begin-pull', image }, { deadlineMs: BEGIN_PULL_WITHIN_MS })),
    async endPull(image, pulled) {
      const question = { type: 'end-pull', image, ...(pulled !== undefined && { pulled }) } as const;
      await answered(manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS }));
    },
  };
}
