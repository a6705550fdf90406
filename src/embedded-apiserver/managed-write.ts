import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import type { WriteOptions } from './write-options.ts';

/** What an apply has worked out about who owns what. */
export interface ManagedWrite {
  readonly managedFields: readonly unknown[];
}

export interface TrackedWrite {
  readonly kind: ApiKind;
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly now: number;
  readonly options: WriteOptions;
  readonly managed: ManagedWrite | undefined;
  readonly subresource?: string;
}

export function trackFields({ object }: TrackedWrite): ApiObject {
  return object;
}
