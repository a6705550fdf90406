interface Meta {
  readonly resourceVersion?: unknown;
  readonly annotations?: unknown;
}

/** What every object says of itself, unchecked; nothing where it is none. */
export const metaOf = (object: unknown): Meta => {
  const meta = (object as { readonly metadata?: unknown } | null)?.metadata;
  return typeof meta === 'object' && meta !== null ? meta : {};
};

/** `undefined` when the object does not say, in text, which version of itself it is. */
export function versionOf(object: unknown): string | undefined {
  const { resourceVersion } = metaOf(object);
  return typeof resourceVersion === 'string' && resourceVersion !== '' ? resourceVersion : undefined;
}

/** Whether a bookmark says that everything there was has been named. */
export function isInitialEnd(object: unknown): boolean {
  const annotations = metaOf(object).annotations as Readonly<Record<string, unknown>> | null | undefined;
  return annotations?.['k8s.io/initial-events-end'] === 'true';
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** What an object that cannot be read still says of itself. Texts of others: cut before they are logged. */
export interface ClaimedName {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** The members of `metadata` that name an object, as far as they are text. Never throws. */
export function claimedName(object: unknown): ClaimedName {
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

/** A page of a list; undefined: the answer is not a list. */
export function pageOf(value: unknown): Page | undefined {
  const { items } = (value ?? {}) as { readonly items?: unknown };
  const { continue: more, resourceVersion: version } = metaOf(value) as Readonly<Record<string, unknown>>;
  // An empty list is `null` to some servers.
  const list = items ?? [];
  if (!Array.isArray(list) || typeof version !== 'string') return undefined;
  return { items: list, version, more: typeof more === 'string' && more !== '' ? more : undefined };
}
