import { own } from '../../../kube/text/own.ts';

/** Any API object. Stored objects are never changed: every write makes a new one. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMetadata;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [member: string]: unknown;
}

export interface ApiMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly unknown[];
  readonly managedFields?: readonly unknown[];
  readonly [member: string]: unknown;
}

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the member of that name if it is a mapping; otherwise an empty mapping. */
export const membersOf = (value: unknown, name: string): Members => {
  const member = isMembers(value) ? own(value, name) : undefined;
  return isMembers(member) ? member : {};
};

/** Returns the text; an empty one when the value is not text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `undefined` removes a member. */
export type MetadataChanges = { readonly [Member in keyof ApiMetadata]?: ApiMetadata[Member] | undefined };

export const withMetadata = (object: ApiObject, changes: MetadataChanges): ApiObject => ({
  ...object,
  // The types of the changes are those of the members.
  metadata: withoutUndefined({ ...object.metadata, ...changes }) as ApiMetadata,
});

/** JSON has no `undefined` members, and they must not be in an object that is compared. */
export function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
