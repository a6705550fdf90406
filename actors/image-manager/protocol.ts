import { addressOf } from '../../src/actor/messages/message.ts';
import type { PullingPod } from '../../src/images/provider-account.ts';
import type { PullAccess, SecretAccess } from '../../src/images/pull-records.ts';
import type { ImageLogin } from '../../src/pod/image/image-credentials.ts';

/** What the image manager can be told. All of it comes from itself. */
export type ImageManagerCommand = { readonly type: 'tidy' } | { readonly type: 'left-pulls-judged' };

export type ImageManagerQuestion =
  /** Whether a pod that has these secrets for it may use an image that is there. */
  | {
      readonly type: 'may-use-image';
      readonly image: string;
      /** What the runtime calls it. */
      readonly imageRef: string;
      readonly secrets: readonly SecretAccess[];
      readonly pod?: PullingPod;
    }
  /** A pull is about to be made. Nothing is pulled unless this was answered: that it began must be on disk. */
  | {
      readonly type: 'begin-pull';
      readonly image: string;
      readonly pod: PullingPod;
      /** What the runtime has just answered about the image; `undefined` when it was not asked, as with `Always`. */
      readonly inspected?: InspectedImage;
    }
  /** The pull has ended, or was not asked of the runtime after all. `pulled`: with success, and by whose leave. */
  | { readonly type: 'end-pull'; readonly image: string; readonly podUid: string; readonly pulled?: PulledImage };

export interface InspectedImage {
  /** What the runtime calls the image. `undefined` when it is absent. */
  readonly imageRef?: string;
}

export interface PulledImage {
  readonly imageRef: string;
  /** `node`: with no login, or one that all pods of the node have. */
  readonly access: PullAccess;
}

export interface ImageManagerProtocol {
  readonly command: ImageManagerCommand;
  readonly question: ImageManagerQuestion;
  readonly answers: {
    readonly 'may-use-image': MayUse;
    readonly 'begin-pull': PullLeave;
    readonly 'end-pull': 'noted';
  };
}

export interface MayUse {
  readonly mayUse: boolean;
}

export type PullLeave =
  /** The logins that the node itself has for the image, and those that providers give the pod's account, best first. */
  | { readonly type: 'go'; readonly logins: readonly ImageLogin[] }
  /** More pulls have begun than `registryPullQPS` allows. */
  | { readonly type: 'too-many' }
  /** That a pull begins could not be written down: none is to be made. */
  | { readonly type: 'not-noted'; readonly problem: string };

export const IMAGE_MANAGER = addressOf<ImageManagerProtocol>('image-manager');

/** A credential provider may take a minute. */
export const BEGIN_PULL_WITHIN_MS = 75_000;
