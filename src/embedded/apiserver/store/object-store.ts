import type { ApiObject } from './api-object.ts';
import { withMetadata } from './api-object.ts';

/** One write, as watchers see it. */
export interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** For a deletion: the object as last stored, with the revision of its deletion. */
  readonly object: ApiObject;
  /** The previous object, for selectors that it has entered or left. */
  readonly previous: ApiObject | undefined;
}

export interface StoreOptions {
  /** How many changes of each resource can be watched from the past. */
  readonly historyLength: number;
  readonly firstRevision: number;
}

export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;

/** All objects of one resource, and its latest changes. */
export class Collection {
  readonly #objects = new Map<string, ApiObject>();
  readonly #history: Change[] = [];
  readonly #awaiting = new Set<() => void>();
  readonly #historyLength: number;
  /** Changes up to this revision were dropped. */
  #forgotten: number;
  #sortedKeys: readonly string[] | undefined;

  constructor({ historyLength, firstRevision }: StoreOptions) {
    this.#historyLength = historyLength;
    this.#forgotten = firstRevision;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  /** In key order, which is the API's list order. */
  keys(): readonly string[] {
    return (this.#sortedKeys ??= [...this.#objects.keys()].sort());
  }

  /** In the order of creation. */
  inOrderOfCreation(): IterableIterator<ApiObject> {
    return this.#objects.values();
  }

  /** The oldest revision from which a watch can resume without a gap. */
  get oldestRevision(): number {
    return this.#forgotten;
  }

  /**
   * Returns the changes after a revision, oldest first, up to a limit. `undefined` when some of them were dropped.
   */
  changesAfter(revision: number, atMost: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#history.slice(low, low + atMost);
  }

  /** Calls once, at the next change. The returned function cancels the call. */
  onNextChange(call: () => void): () => void {
    this.#awaiting.add(call);
    return () => void this.#awaiting.delete(call);
  }

  apply(key: string, change: Change): void {
    if (change.type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, change.object);
    if (change.type !== 'MODIFIED') this.#sortedKeys = undefined;
    this.#history.push(change);
    if (this.#history.length > this.#historyLength * 2) this.#forget(this.#history.length - this.#historyLength);
    const calls = [...this.#awaiting];
    this.#awaiting.clear();
    for (const call of calls) call();
  }

  /** Stores an object of a snapshot without a change event: before any watch begins. */
  restore(key: string, object: ApiObject): void {
    this.#objects.set(key, object);
    this.#sortedKeys = undefined;
  }

  /** Drops all history, so every watch from the past must list again. */
  compact(revision: number): void {
    this.#history.length = 0;
    this.#forgotten = revision;
  }

  #forget(count: number): void {
    this.#forgotten = this.#history[count - 1]?.revision ?? this.#forgotten;
    this.#history.splice(0, count);
  }
}

/** All objects, in memory, under one sequence of revisions. It has no rules: its writers enforce them. */
export class ObjectStore {
  readonly #collections = new Map<string, Collection>();
  readonly #options: StoreOptions;
  #revision: number;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#revision = options.firstRevision;
  }

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (!collection) this.#collections.set(resource, (collection = new Collection(this.#options)));
    return collection;
  }

  collections(): IterableIterator<[string, Collection]> {
    return this.#collections.entries();
  }

  /** Stores the object under the next revision, which the object then carries. */
  put(resource: string, object: ApiObject): ApiObject {
    const collection = this.collection(resource);
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const previous = collection.get(key);
    const revision = ++this.#revision;
    const stored = withMetadata(object, { resourceVersion: String(revision) });
    collection.apply(key, { revision, type: previous ? 'MODIFIED' : 'ADDED', object: stored, previous });
    return stored;
  }

  /** Removes the object, and returns it as last stored. */
  remove(resource: string, key: string): ApiObject | undefined {
    const collection = this.collection(resource);
    const previous = collection.get(key);
    if (!previous) return undefined;
    const revision = ++this.#revision;
    const last = withMetadata(previous, { resourceVersion: String(revision) });
    collection.apply(key, { revision, type: 'DELETED', object: last, previous });
    return last;
  }

  restore(resource: string, object: ApiObject): void {
    this.collection(resource).restore(keyOf(object.metadata.namespace, object.metadata.name), object);
  }

  /** Like etcd's compaction: watches from before this moment end with `Expired`. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.#revision);
  }
}

/** Read-only access to a store. Resources are named with their group. */
export const storedIn = (
  store: ObjectStore,
): {
  readonly get: (resource: string, namespace: string | undefined, name: string) => ApiObject | undefined;
  readonly list: (resource: string) => Iterable<ApiObject>;
} => ({
  get: (resource, namespace, name) => store.collection(resource).get(keyOf(namespace, name)),
  list: (resource) => store.collection(resource).inOrderOfCreation(),
});
