import type { Clock } from '../../../actor/clock.ts';
import type { Random } from '../../../actor/random.ts';
import type { ApiKind, ApiUser, KindContext } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import type { ListMetadata } from './list-objects.ts';
import type { ObjectWatch } from './object-watch.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectWriter } from './object-writer.ts';
import type { FailureStatus } from './refusal.ts';
import type { ResourcePath } from '../http/request-path.ts';
import type { TokenIssuer } from '../subresources/token-issuer.ts';
import type { WriteOptions } from './write-options.ts';

export interface ApiCoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly makeUid: () => string;
  readonly tokens: TokenIssuer;
  /** Makes a certificate (PEM) of a signing request (PEM). When absent, requests are approved but not signed. */
  readonly signCertificate?: (request: ApiObject) => Promise<string>;
  /** Content of `kube-root-ca.crt` in every namespace. When absent, no namespace has this ConfigMap. */
  readonly rootCertificate?: string;
  /** How many changes of each resource can be watched from the past. */
  readonly historyLength?: number;
  /**
   * First resource version. A server that lost its objects starts above the old versions, so that earlier clients list
   * again.
   */
  readonly firstRevision?: number;
  /** `true` if pods get a service account and a volume with its token. */
  readonly serviceAccountAdmission?: boolean;
  /** `true` if pods without a node are bound to one. */
  readonly bindPods?: boolean;
}

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request, decoded from its transport. */
export interface CoreRequest {
  readonly method: ApiMethod;
  readonly path: string;
  readonly body?: unknown;
  /** Content type of a patch. */
  readonly contentType?: string;
  readonly user: ApiUser;
  readonly userAgent?: string;
}

export type CoreAnswer =
  | {
      readonly type: 'object';
      readonly code: number;
      readonly object: object;
      readonly kind?: ApiKind;
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'list';
      readonly kind: ApiKind;
      readonly metadata: ListMetadata;
      readonly items: readonly ApiObject[];
    }
  | { readonly type: 'watch'; readonly kind: ApiKind; readonly watch: ObjectWatch }
  | { readonly type: 'failure'; readonly status: FailureStatus };

export interface CoreCall {
  readonly request: CoreRequest;
  readonly path: ResourcePath;
  readonly context: KindContext;
  readonly warnings: string[];
}

/** The operations of the API that patches, subresources and housekeeping use. */
export interface CoreOperations {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly options: ApiCoreOptions;
  contextOf(user: ApiUser): KindContext;
  /** Creates an object of a kind, with the side effects of its creation. */
  create(kind: ApiKind, given: ApiObject, how: Parameters<ObjectWriter['create']>[2]): ApiObject;
  update(update: Parameters<ObjectWriter['update']>[0], context: KindContext): ApiObject;
  /** Returns the stored object. Throws a `Refusal` if it does not exist. */
  stored(kind: ApiKind, namespace: string | undefined, name: string): ApiObject;
  answer(kind: ApiKind, object: ApiObject, call: CoreCall): CoreAnswer;
  created(kind: ApiKind, object: ApiObject, call: CoreCall): CoreAnswer;
  writeOptions(call: CoreCall): WriteOptions;
  /** The body as an object of the kind, as it is stored. */
  decode(kind: ApiKind, call: CoreCall, options: WriteOptions): ApiObject;
  /** Throws a `Refusal` if the path of a namespaced kind has no namespace. */
  checkNamespaced(kind: ApiKind, path: ResourcePath): void;
}
