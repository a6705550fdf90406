interface Meta {
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What every object says of itself; nothing where it is none. */
export const metaOf = (object: unknown): Meta => {
  const meta = (object as { readonly metadata?: unknown } | null)?.metadata;
  return typeof meta === 'object' && meta !== null ? meta : {};
};

interface Page {
  readonly items: readonly unknown[];
  readonly version: string;
  readonly more: string | undefined;
}

/** A page of a list; undefined: the answer is no list. */
export function pageOf(value: unknown): Page | undefined {
  const { items, metadata } = (value ?? {}) as {
    items?: unknown;
    metadata?: { resourceVersion?: string; continue?: string };
  };
  // An empty list is `null` to some servers.
  const list = items ?? [];
  if (!Array.isArray(list) || typeof metadata?.resourceVersion !== 'string') return undefined;
  return { items: list, version: metadata.resourceVersion, more: metadata.continue || undefined };
}
