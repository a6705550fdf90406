interface Meta {
  readonly resourceVersion?: unknown;
  readonly annotations?: unknown;
}

/** Returns the object's `metadata`, unchecked; empty when the value is not an object. */
export const metaOf = (object: unknown): Meta => {
  // Any object may be read so: the member is checked below.
  const meta = (object as { readonly metadata?: unknown } | null)?.metadata;
  return typeof meta === 'object' && meta !== null ? meta : {};
};

/** Returns the object's resource version. `undefined` when it is absent or not text. */
export function versionOf(object: unknown): string | undefined {
  const { resourceVersion } = metaOf(object);
  return typeof resourceVersion === 'string' && resourceVersion !== '' ? resourceVersion : undefined;
}

/** `true` if a bookmark marks the end of the initial events. */
export function isInitialEnd(object: unknown): boolean {
  // Only one annotation is read, and compared with a text.
  const annotations = metaOf(object).annotations as Readonly<Record<string, unknown>> | null | undefined;
  return annotations?.['k8s.io/initial-events-end'] === 'true';
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * The name that an unreadable object gives itself. The texts come from outside: they are cut before they are
 * logged.
 */
export interface ClaimedName {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Returns the members of `metadata` that name an object, as far as they are text. Never throws. */
export function claimedName(object: unknown): ClaimedName {
  // Members of any object are unknown.
  const meta = metaOf(object) as Readonly<Record<string, unknown>>;
  const [namespace, name, uid] = [textOr(meta['namespace']), textOr(meta['name']), textOr(meta['uid'])];
  return {
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
  };
}

interface Page {
  readonly items: readonly unknown[];
  readonly version: string;
  readonly more: string | undefined;
}

/** Returns one page of a list. `undefined` when the answer is not a list. */
export function pageOf(value: unknown): Page | undefined {
  // Members of any object are unknown; both are checked below.
  const { items } = (value ?? {}) as { readonly items?: unknown };
  const { continue: more, resourceVersion: version } = metaOf(value) as Readonly<Record<string, unknown>>;
  // Some servers send an empty list as `null`.
  const list = items ?? [];
  if (!Array.isArray(list) || typeof version !== 'string') return undefined;
  return { items: list, version, more: typeof more === 'string' && more !== '' ? more : undefined };
}
