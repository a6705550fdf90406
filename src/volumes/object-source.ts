import type { ObjectData, ObjectRef } from './object-data.ts';
import type { FilesSource, PodVolumes } from './volume-plan.ts';

export type ObjectAnswer =
  | { readonly type: 'found'; readonly data: ObjectData }
  | { readonly type: 'missing' }
  /** It could not be found out. */
  | { readonly type: 'failed'; readonly message: string };

export type TokenAnswer =
  | {
      readonly type: 'found';
      readonly token: string;
      /** When another is to be asked for, from now. */
      readonly refreshInMs: number;
    }
  | { readonly type: 'failed'; readonly message: string };

/** Where what volumes are made of comes from. Who uses what is said first, so that changes can be told. */
export interface ObjectSource {
  get(ref: ObjectRef): Promise<ObjectAnswer>;
  token(pod: PodVolumes, request: Extract<FilesSource, { type: 'token' }>): Promise<TokenAnswer>;
  /** The pod uses these objects, and no others, from now on. */
  use(podUid: string, refs: readonly ObjectRef[]): void;
}

/** A node without an API server and without a folder of objects. */
export const noObjects: ObjectSource = {
  get: ({ kind, name }) =>
    Promise.resolve({
      type: 'failed',
      message: `${kind.toLowerCase()} "${name}" cannot be read: this node runs without an API server`,
    }),
  token: () =>
    Promise.resolve({ type: 'failed', message: 'failed to fetch token: this node runs without an API server' }),
  use: () => {},
};
