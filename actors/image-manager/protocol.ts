import { addressOf } from '../../src/actor/messages/message.ts';
import type { PullingPod } from '../../src/images/provider-account.ts';
import type { PullAccess, SecretAccess } from '../../src/images/pull-records.ts';
import type { ImageLogin } from '../../src/pod/image/image-credentials.ts';

/** Own reports. Other actors send only questions. */
export type ImageManagerReport = { readonly type: 'pull-intents-recovered' };

/** Own timers. */
export type ImageManagerTimer = { readonly type: 'cleanup-due' };

export type ImageManagerQuestion =
  /** Asks if a pod with these secrets may use a present image. */
  | {
      readonly type: 'may-use-image';
      readonly image: string;
      /** The runtime's ID of the image. */
      readonly imageRef: string;
      readonly secrets: readonly SecretAccess[];
      readonly pod?: PullingPod;
    }
  /** A pull is about to begin. The pod worker pulls only after the answer `allowed`: the intent must be on disk first. */
  | {
      readonly type: 'begin-pull';
      readonly image: string;
      readonly pod: PullingPod;
      /** The runtime's latest answer about the image; `undefined` when the runtime was not asked, as with `Always`. */
      readonly inspected?: InspectedImage;
    }
  /** The pull has ended, or was not made. `pulled` is present after a successful pull. */
  | { readonly type: 'end-pull'; readonly image: string; readonly podUid: string; readonly pulled?: PulledImage };

export interface InspectedImage {
  /** The runtime's ID of the image. `undefined` when the image is absent. */
  readonly imageRef?: string;
}

export interface PulledImage {
  readonly imageRef: string;
  /** `node`: without a login, or with a login that all pods of the node share. */
  readonly access: PullAccess;
}

export interface ImageManagerProtocol {
  readonly command: ImageManagerReport | ImageManagerTimer;
  readonly question: ImageManagerQuestion;
  readonly answers: {
    readonly 'may-use-image': MayUse;
    readonly 'begin-pull': PullPermission;
    readonly 'end-pull': 'recorded';
  };
}

export interface MayUse {
  readonly mayUse: boolean;
}

export type PullPermission =
  /**
   * Permission to pull, with the node's own logins and those that credential providers give the pod's account, best
   * first.
   */
  | { readonly type: 'allowed'; readonly logins: readonly ImageLogin[] }
  /** More pulls have begun than `registryPullQPS` allows. */
  | { readonly type: 'rate-limited' }
  /** The pull intent could not be written: the image must not be pulled. */
  | { readonly type: 'intent-not-written'; readonly problem: string };

export const IMAGE_MANAGER = addressOf<ImageManagerProtocol>('image-manager');

/** A credential provider may take a minute. */
export const BEGIN_PULL_WITHIN_MS = 75_000;
