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
/** How long a read waits for the read before it. A call takes up to 10 s more. */
const AWAIT_READ_MS = 4_000;

interface Entry<T> {
  readonly name: string;
  readonly path: string;
  reflector: Reflector<Kept<T>> | undefined;
  answer: ObjectAnswer<T> | undefined;
  fetchedAt: MonotonicMs | undefined;
  askedAt: MonotonicMs;
  isImmutable: boolean;
  /** The pods that use the object. */
  readonly pods: Set<string>;
  /** The read under way, and the read that begins after it: it serves all who have asked since the first began. */
  reading: Promise<ObjectAnswer<T>> | undefined;
  nextReading: Promise<ObjectAnswer<T>> | undefined;
  waiting: ((answer: ObjectAnswer<T>) => void)[];
}

/** ConfigMaps or Secrets; each object is watched while pods ask for it. */
export class FollowedObjects<T> {
  readonly #deps: FollowedObjectsDeps<T>;
  readonly #entries = new Map<string, Entry<T>>();
  /** By pod, the keys of the objects that it uses. */
  readonly #usedBy = new Map<string, Set<string>>();
  #watches = 0;

  constructor(deps: FollowedObjectsDeps<T>) {
    this.#deps = deps;
  }

  async ask({ namespace, name, podUid }: ObjectQuestion): Promise<ObjectAnswer<T>> {
    const key = `${namespace}/${name}`;
    const entry = this.#entryOf(key, namespace, name);
    const { clock } = this.#deps.context;
    const now = clock.monotonic();
    entry.askedAt = now;
    const isKnownPod = entry.pods.has(podUid);
    this.#use(podUid, key, entry);
    const { fetchedAt, reflector, isImmutable } = entry;
    const isWatched = reflector !== undefined;
    const isKept = isImmutable && entry.answer !== undefined;
    const { strategy } = this.#deps;
    switch (fetchStrategy({ strategy, isWatched, isKept, watches: this.#watches, fetchedAt, isKnownPod, now })) {
      case 'watch':
        // A watch that begins now shows what the server has now.
        return isKnownPod || reflector?.complete !== true ? this.#watched(entry) : this.#watchedForNewPod(entry);
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

  /** The pod is over. An object goes with the last pod that uses the object. */
  forgetPod(podUid: string): void {
    const keys = this.#usedBy.get(podUid) ?? [];
    this.#usedBy.delete(podUid);
    for (const key of keys) {
      const entry = this.#entries.get(key);
      entry?.pods.delete(podUid);
      if (entry?.pods.size === 0) this.#drop(key, entry);
    }
  }

  #use(podUid: string, key: string, entry: Entry<T>): void {
    entry.pods.add(podUid);
    const used = this.#usedBy.get(podUid);
    if (used === undefined) this.#usedBy.set(podUid, new Set([key]));
    else used.add(key);
  }

  /** Drops objects that no pod has asked for in a while: the end of their pods was not reported. */
  tidy(): void {
    const now = this.#deps.context.clock.monotonic();
    for (const [key, entry] of this.#entries) if (now - entry.askedAt >= IDLE_MS) this.#drop(key, entry);
  }

  #drop(key: string, entry: Entry<T>): void {
    this.#unwatch(entry);
    this.#entries.delete(key);
    for (const podUid of entry.pods) {
      const used = this.#usedBy.get(podUid);
      used?.delete(key);
      if (used?.size === 0) this.#usedBy.delete(podUid);
    }
    for (const resolve of entry.waiting.splice(0)) resolve({ type: 'unavailable', message: 'its pods have ended' });
  }

  get watches(): number {
    return this.#watches;
  }

  #entryOf(key: string, namespace: string, name: string): Entry<T> {
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
      reading: undefined,
      nextReading: undefined,
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

  /**
   * A container starts with what its pod's first question is answered with. So an object that the watch has not brought,
   * or that may have changed while the watch was broken, is read from the server.
   */
  async #watchedForNewPod(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    const known = await this.#watched(entry);
    if (known.type === 'found' && entry.reflector?.isWatching === true) return known;
    const read = await this.#fetched(entry);
    return read.type === 'unavailable' && known.type === 'missing' ? known : read;
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

  /** Reads the object. The read begins after the question, and serves all who ask before it begins. */
  #fetched(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    if (entry.reading === undefined) return this.#begun(entry);
    entry.nextReading ??= this.#endOf(entry.reading).then(() => {
      entry.nextReading = undefined;
      return this.#begun(entry);
    });
    return entry.nextReading;
  }

  #begun(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    const reading = this.#read(entry).finally(() => {
      if (entry.reading === reading) entry.reading = undefined;
    });
    entry.reading = reading;
    return reading;
  }

  /** Waits no longer than the answer of the next read leaves time for. */
  #endOf(reading: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const disarm = this.#deps.context.clock.after(AWAIT_READ_MS, resolve);
    return Promise.race([reading, promise]).then(disarm);
  }

  async #read(entry: Entry<T>): Promise<ObjectAnswer<T>> {
    const { call, read, context } = this.#deps;
    const { answer: before } = entry;
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
    // The watch has brought something meanwhile, which is later than what was read.
    if (entry.reflector !== undefined && entry.answer !== undefined && entry.answer !== before) return entry.answer;
    entry.answer = kept === undefined ? { type: 'missing' } : { type: 'found', value: kept.content };
    entry.fetchedAt = askedAt;
    entry.isImmutable = kept?.immutable === true;
    if (entry.isImmutable) this.#unwatch(entry);
    return entry.answer;
  }
}
