import type { ObjectData, ObjectRef } from './object-data.ts';
import type { BundleRequest, FilesSource, PodVolumes } from './volume-plan.ts';

export type ObjectAnswer =
  /** `version` changes with the content. */
  | { readonly type: 'found'; readonly data: ObjectData; readonly version: string }
  | { readonly type: 'missing' }
  /** The lookup failed, so it is unknown whether the object exists. */
  | { readonly type: 'failed'; readonly message: string };

export type TokenAnswer =
  { readonly type: 'found'; readonly token: string } | { readonly type: 'failed'; readonly message: string };

export type BundleAnswer =
  | { readonly type: 'found'; readonly pem: string }
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

export type CertificateAnswer =
  | { readonly type: 'found'; readonly key: string; readonly chain: string }
  | { readonly type: 'failed'; readonly message: string };

/** The source of the data that volumes are made of. Answers are current, and tokens are renewed before they expire. */
export interface ObjectSource {
  get(ref: ObjectRef, podUid: string): Promise<ObjectAnswer>;
  token(
    pod: Pick<PodVolumes, 'namespace' | 'podName' | 'podUid'>,
    request: Pick<Extract<FilesSource, { type: 'token' }>, 'serviceAccount' | 'audience' | 'expirationSeconds'>,
  ): Promise<TokenAnswer>;
  bundle(request: BundleRequest): Promise<BundleAnswer>;
  /** Certificates are renewed before they expire. */
  certificate(
    pod: Pick<PodVolumes, 'namespace' | 'podName' | 'podUid'>,
    source: Extract<FilesSource, { type: 'certificate' }>,
  ): Promise<CertificateAnswer>;
}

export const noBundles: Pick<ObjectSource, 'bundle' | 'certificate'> = {
  certificate: () => Promise.resolve({ type: 'failed', message: 'pod certificates are not supported on this node' }),
  bundle: () =>
    Promise.resolve({ type: 'missing', message: 'ClusterTrustBundle projection is not supported on this node' }),
};

/** For a node without an API server and without a folder of objects. */
export const noObjects: ObjectSource = {
  ...noBundles,
  get: ({ kind, name }) =>
    Promise.resolve({
      type: 'failed',
      message: `${kind.toLowerCase()} "${name}" cannot be read: this node runs without an API server`,
    }),
  token: () =>
    Promise.resolve({ type: 'failed', message: 'failed to fetch token: this node runs without an API server' }),
};
