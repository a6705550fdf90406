import type { WallMs } from '../../src/actor/clock.ts';
import { addressOf } from '../../src/actor/messages/message.ts';
import type { ServiceFacts } from '../../src/pod/cri-config/service-env.ts';
import type { ApiHealthChanged, WatchNotice } from '../api-gateway/protocol.ts';

/** Messages that other actors send to the object cache. */
export type ObjectCacheCommand =
  | WatchNotice
  | ApiHealthChanged
  /** From the pod manager: the pod is over, or gone. Its objects and tokens are not needed for it any more. */
  | { readonly type: 'forget-pod'; readonly podUid: string };

/** Own timers. */
export type ObjectCacheTimer = { readonly type: 'cleanup-due' };

/**
 * A question about one object, for a pod. The pod's first question is answered from a watch that works, or with what the
 * server has now: a cached object may be another one of that name.
 */
export interface ObjectQuestion {
  readonly namespace: string;
  readonly name: string;
  readonly podUid: string;
}

/** A request for a token of a service account, bound to a pod (TokenRequest). */
export interface TokenQuestion {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Empty: the API server's audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly pod: { readonly name: string; readonly uid: string };
}

export type ObjectCacheQuestion =
  | ({ readonly type: 'config-map' } & ObjectQuestion)
  | ({ readonly type: 'secret' } & ObjectQuestion)
  /** The services of a namespace, plus the API server's own service in whichever namespace. */
  | {
      readonly type: 'services-of-namespace';
      readonly namespace: string;
      /** Milliseconds to wait for the first read of all services. Default: 10 s. */
      readonly withinMs?: number;
    }
  | { readonly type: 'runtime-class'; readonly name: string }
  | ({ readonly type: 'service-account-token' } & TokenQuestion);

/** Questions about objects. The object cache answers them, or the object folder where there is no API server. */
export interface ObjectsProtocol {
  readonly command: never;
  readonly question: ObjectCacheQuestion;
  readonly answers: {
    readonly 'config-map': ObjectAnswer<ConfigMapContent>;
    readonly secret: ObjectAnswer<SecretContent>;
    readonly 'services-of-namespace': ObjectAnswer<readonly ServiceFacts[]>;
    readonly 'runtime-class': ObjectAnswer<RuntimeClassContent>;
    readonly 'service-account-token': ObjectAnswer<TokenContent>;
  };
}

export interface ObjectCacheProtocol extends Omit<ObjectsProtocol, 'command'> {
  readonly command: ObjectCacheCommand | ObjectCacheTimer;
}

export const OBJECT_CACHE = addressOf<ObjectCacheProtocol>('object-cache');

/** Every answer arrives within 15 s; callers use this longer deadline. */
export const OBJECT_ANSWER_WITHIN_MS = 20_000;

/** `missing`: the server has no such object. `unavailable`: the object cannot be read now; `message` is for people. */
export type ObjectAnswer<T> =
  | { readonly type: 'found'; readonly value: T }
  | { readonly type: 'missing' }
  | { readonly type: 'unavailable'; readonly message: string };

/** The resource version shows if anything has changed. */
export interface ConfigMapContent {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  /** Values in Base64. */
  readonly binaryData: Readonly<Record<string, string>>;
}

export interface SecretContent {
  readonly resourceVersion: string;
  readonly uid: string;
  /** `Opaque`, `kubernetes.io/dockerconfigjson` … */
  readonly type: string;
  /** Values in Base64. */
  readonly data: Readonly<Record<string, string>>;
}

export interface RuntimeClassContent {
  readonly handler: string;
}

export interface TokenContent {
  readonly token: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: WallMs;
}
