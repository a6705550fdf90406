import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import { apiFaultText, isNotFound } from '../../src/api/api-request.ts';
import { readable, type ApiCall } from '../../src/api/api-client.ts';
import type { ReflectorNotice, ObjectCheck, Reflector } from '../../src/api/reflector/reflector.ts';
import type { ObjectAnswer, ObjectQuestion } from './protocol.ts';
import { checkOf, type Kept, nameIn } from './read-objects.ts';
import { type ChangeDetection, IDLE_MS, fetchStrategy } from './fetch-strategy.ts';

export interface FollowedObjectsDeps<T> {
  /** The resource name in paths and in names of watches, for example `configmaps`. */
  readonly resource: string;
  /** The kind in messages for users, for example `configmap`. */
  readonly kind: string;
  readonly read: (object: unknown) => Kept<T> | undefined;
  readonly strategy: ChangeDetection;
  readonly call: ApiCall;
  readonly follow: Follow;
  readonly context: Pick<ActorContext, 'clock' | 'supervise'>;
}

/** Makes a reflector of the objects at a path that `query` selects. */
export type Follow = <T>(what: {
  readonly name: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly check: ObjectCheck;
  readonly project: (object: unknown) => T | undefined;
  readonly keyOf: (object: T) => string;
  readonly changed: () => void;
}) => Reflector<T>;

/** The longest wait for a watch's first answer. */
const FIRST_ANSWER_WITHIN_MS = 10_000;

interface Entry<T> {
  readonly name: string;
  readonly path: string;
  reflector: Reflector<Kept<T>> | undefined;
  answer: ObjectAnswer<T> | undefined;
  fetchedAt: MonotonicMs | undefined;
  askedAt: MonotonicMs;
  isImmutable: boolean;
  readonly pods: Set<string>;
  waiting: ((answer: ObjectAnswer<T>) => void)[];
}

/** ConfigMaps or Secrets; each object is watched while pods ask for it. */
export class FollowedObjects<T> {
  readonly #deps: FollowedObjectsDeps<T>;
  readonly #entries = new Map<string, Entry<T>>();
  #watches = 0;

  constructor(deps: FollowedObjectsDeps<T>) {
    this.#deps = deps;
  }

  async ask({ namespace, name, podUid }: ObjectQuestion): Promise<ObjectAnswer<T>> {
    const entry = this.#entryOf(namespace, name);
    const { clock } = this.#deps.context;
    const now = clock.monotonic();
    entry.askedAt = now;
    const isKnownPod = entry.pods.has(podUid);
    entry.pods.add(podUid);
    if (entry.isImmutable && entry.answer !== undefined) return entry.answer;
    const isWatched = entry.reflector !== undefined;
    const { fetchedAt } = entry;
    const { strategy } = this.#deps;
    switch (fetchStrategy({ strategy, isWatched, watches: this.#watches, fetchedAt, isKnownPod, now })) {
      case 'watch':
        return this.#watched(entry);
      case 'kept':
        return entry.answer ?? this.#fetched(entry);
      case 'ask':
        return this.#fetched(entry);
      default:
        throw new Error('unknown way to fetch an object');
    }
  }

  received(notice: ReflectorNotice): void {
    const key = notice.watch.slice(this.#deps.resource.length + 1, notice.watch.lastIndexOf('/'));
    this.#entries.get(key)?.reflector?.received(notice);
  }

  serverUp(): void {
    for (const { reflector } of this.#entries.values()) reflector?.serverUp();
  }

  /** Drops objects that no pod has asked for in a while. */
  tidy(): void {
    const now = this.#deps.context.clock.monotonic();
    for (const [key, entry] of this.#entries) {
      if (now - entry.askedAt < IDLE_MS) continue;
      this.#unwatch(entry);
      this.#entries.delete(key);
    }
  }

  get watches(): number {
    return this.#watches;
  }

  #entryOf(namespace: string, name: string): Entry<T> {
    const key = `${namespace}/${name}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${this.#deps.resource}`;
    const fresh: Entry<T> = {
      name,
      path,
      reflector: undefined,
      answer: undefined,
      fetchedAt: undefined,
      askedAt: 0,
      isImmutable: false,
      pods: new Set(),
      waiting: [],
    };
    this.#entries.set(key, fresh);
    return fresh;
  }

  // ---- watched
  // -------------------------------------------------------------------------------------------------------

  #watched(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    if (entry.reflector === undefined) this.#watch(entry);
    if (entry.reflector?.complete === true && entry.answer !== undefined) return Promise.resolve(entry.answer);
    return new Promise((resolve) => {
      entry.waiting.push(resolve);
      this.#deps.context.clock.after(FIRST_ANSWER_WITHIN_MS, () => {
        const message = `failed to sync ${this.#deps.kind} cache: timed out waiting for the condition`;
        entry.waiting = entry.waiting.filter((each) => each !== resolve);
        resolve({ type: 'unavailable', message });
      });
    });
  }

  #watch(entry: Entry<T>): void {
    const { follow, read, resource } = this.#deps;
    this.#watches += 1;
    const namespace = entry.path.split('/')[4] ?? '';
    entry.reflector = follow({
      name: `${resource}:${decodeURIComponent(namespace)}/${entry.name}`,
      path: entry.path,
      query: { fieldSelector: `metadata.name=${entry.name}` },
      check: checkOf(resource, nameIn),
      project: read,
      keyOf: ({ name }) => name,
      changed: () => this.#changed(entry),
    });
    entry.reflector.begin();
  }

  #changed(entry: Entry<T>): void {
    const { reflector } = entry;
    const found = reflector?.get(entry.name);
    if (found === undefined && reflector?.complete !== true) return;
    entry.answer = found === undefined ? { type: 'missing' } : { type: 'found', value: found.content };
    for (const resolve of entry.waiting.splice(0)) resolve(entry.answer);
    if (found?.immutable !== true) return;
    entry.isImmutable = true;
    this.#unwatch(entry);
  }

  #unwatch(entry: Entry<T>): void {
    if (entry.reflector === undefined) return;
    entry.reflector.end();
    entry.reflector = undefined;
    this.#watches -= 1;
  }

  // ---- asked for
  // -----------------------------------------------------------------------------------------------------

  async #fetched(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    const { call, read, context } = this.#deps;
    const askedAt = context.clock.monotonic();
    const path = `${entry.path}/${encodeURIComponent(entry.name)}`;
    const request = { verb: 'get', path, priority: 'object' } as const;
    const outcome = readable(request, await call(request));
    if (!outcome.ok && !isNotFound(outcome.fault)) {
      // An older answer is better than none, unless the server denies access.
      const isOurs = outcome.fault.kind !== 'refused' || outcome.fault.code !== 403;
      if (isOurs && entry.answer?.type === 'found') return entry.answer;
      return { type: 'unavailable', message: apiFaultText(outcome.fault) };
    }
    const kept = outcome.ok ? read(outcome.value) : undefined;
    // The answer to an older request may arrive after the answer to a newer request.
    if (entry.fetchedAt !== undefined && entry.fetchedAt > askedAt && entry.answer !== undefined) return entry.answer;
    entry.answer = kept === undefined ? { type: 'missing' } : { type: 'found', value: kept.content };
    entry.fetchedAt = askedAt;
    entry.isImmutable = kept?.immutable === true;
    return entry.answer;
  }
}
