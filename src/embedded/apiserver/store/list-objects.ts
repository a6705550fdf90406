import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { forbiddenField, unsupportedValue } from './field-causes.ts';
import { selectionOf, shown } from './object-selection.ts';
import type { Collection, ObjectStore } from './object-store.ts';
import { keyOf } from './object-store.ts';
import { badRequest, expired, invalidOptions, revisionFromTheFuture } from './refusal.ts';

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ListedObjects {
  readonly metadata: ListMetadata;
  readonly items: readonly ApiObject[];
}

export interface ListRequest {
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
}

/** Returns a page of the objects of a kind, in the order of their keys. */
export function listObjects(store: ObjectStore, kind: ApiKind, { namespace, query }: ListRequest): ListedObjects {
  const collection = store.collection(kind.storedAs);
  const selection = selectionOf(kind, { namespace, query });
  const limit = wholeNumber(query, 'limit') ?? 0;
  checkMatch(query);
  refuseFuture(query, store.revision);
  const start = startOf(query, collection, store.revision);
  const items: ApiObject[] = [];
  const keys = candidateKeys(collection, namespace, selection.name);
  for (let index = start.after === undefined ? 0 : firstAfter(keys, start.after); index < keys.length; index += 1) {
    const object = collection.get(keys[index] ?? '');
    if (object === undefined || !selection.matches(object)) continue;
    if (limit > 0 && items.length === limit) {
      const last = items.at(-1);
      const token = continueToken(start.revision, last ? keyOf(last.metadata.namespace, last.metadata.name) : '');
      const isCounted = !selection.isSelective;
      const remaining = isCounted ? countFrom(keys, index, namespace) : 0;
      return {
        metadata: {
          resourceVersion: String(start.revision),
          continue: token,
          ...(isCounted && { remainingItemCount: remaining }),
        },
        items: items.map((item) => shown(kind, item)),
      };
    }
    items.push(object);
  }
  return {
    metadata: { resourceVersion: String(start.revision) },
    items: kind.view ? items.map((item) => shown(kind, item)) : items,
  };
}

/** How many keys are left, in the namespace if there is one. */
function countFrom(keys: readonly string[], index: number, namespace: string | undefined): number {
  if (namespace === undefined) return keys.length - index;
  return firstAfter(keys, `${namespace}/\uffff`) - index;
}

function candidateKeys(
  collection: Collection,
  namespace: string | undefined,
  name: string | undefined,
): readonly string[] {
  if (name === undefined || (namespace === undefined && collection.keys().some((key) => key.includes('/'))))
    return collection.keys();
  const key = keyOf(namespace, name);
  return collection.get(key) === undefined ? [] : [key];
}

function firstAfter(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const continueToken = (revision: number, after: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');

/**
 * Returns where a list continues. Pages show the present objects, under the revision of the first page: a watch
 * from that revision brings all changes made between the pages.
 */
function startOf(
  query: URLSearchParams,
  collection: Collection,
  revision: number,
): { readonly revision: number; readonly after: string | undefined } {
  const token = query.get('continue');
  if (!token) return { revision, after: undefined };
  const { rv, start } = readToken(token);
  if (rv < collection.oldestRevision) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list ' +
        'without the continue parameter.',
    );
  }
  return { revision: rv, after: start };
}

function readToken(token: string): { readonly rv: number; readonly start: string } {
  try {
    // Both members are checked below.
    const read = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv?: unknown; start?: unknown };
    if (typeof read.rv === 'number' && typeof read.start === 'string') return { rv: read.rv, start: read.start };
  } catch {
    // the text below is the whole explanation
  }
  throw badRequest('continue key is not valid: it did not come from this server');
}

/** Throws a `Refusal` for a future revision. */
export function refuseFuture(query: URLSearchParams, current: number): void {
  const asked = wholeNumber(query, 'resourceVersion') ?? 0;
  if (asked > current) throw revisionFromTheFuture(asked, current);
}

const MATCHES: readonly string[] = ['Exact', 'NotOlderThan', ''];

function checkMatch(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch');
  if (!match) return;
  if (!query.get('resourceVersion')) {
    const why = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw invalidOptions('ListOptions', [forbiddenField('resourceVersionMatch', why)]);
  }
  if (!MATCHES.includes(match)) {
    throw invalidOptions('ListOptions', [unsupportedValue('resourceVersionMatch', match, MATCHES)]);
  }
}

/** Returns a number in a query. Throws a `Refusal` for anything else. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}`);
  return Number(text);
}
