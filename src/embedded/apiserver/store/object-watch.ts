import type { Clock } from '../../../actor/clock.ts';
import type { Random } from '../../../actor/random.ts';
import type { WatchEvent } from '../../../api/api-transport.ts';
import type { ApiKind } from './api-kind.ts';
import { apiVersionOf } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { withMetadata } from './api-object.ts';
import { wholeNumber } from './list-objects.ts';
import type { Selection } from './object-selection.ts';
import { selectionOf, shown } from './object-selection.ts';
import type { Change, Collection, ObjectStore } from './object-store.ts';
import type { FailureStatus } from './refusal.ts';
import { badRequest, expired, revisionFromTheFuture } from './refusal.ts';

/** One read of a watch. */
export interface WatchRead {
  readonly events: readonly WatchEvent[];
  /** `true` when no more events will come. */
  readonly isEnded: boolean;
}

export interface WatchDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

export interface WatchRequest {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly query: URLSearchParams;
}

const BOOKMARK_EVERY_MS = 60_000;
const SHORTEST_DEFAULT_MS = 1_800_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Watches the objects of a kind from a revision on. A watch is read, not pushed: a slow or vanished reader costs
 * only its place in the history. It gets `Expired` when the history has moved past its place.
 */
export class ObjectWatch {
  readonly #deps: WatchDeps;
  readonly #kind: ApiKind;
  readonly #collection: Collection;
  readonly #selection: Selection;
  readonly #timers: (() => void)[] = [];
  readonly #bookmarks: boolean;
  /** The initial objects that are still to be sent; then a bookmark marks their end. */
  #initial: ApiObject[];
  #marksInitialEnd: boolean;
  #cursor: number;
  #bookmarkIsDue = false;
  #isOver = false;
  #isClosed = false;
  #failure: FailureStatus | undefined;
  #readable: (() => void) | undefined;
  #stopListening: (() => void) | undefined;

  constructor(deps: WatchDeps, kind: ApiKind, request: WatchRequest) {
    const { query } = request;
    this.#deps = deps;
    this.#kind = kind;
    this.#collection = deps.store.collection(kind.storedAs);
    this.#selection = selectionOf(kind, request);
    this.#bookmarks = query.get('allowWatchBookmarks') === 'true';
    const start = startOf(query, deps.store.revision, this.#collection);
    this.#cursor = start.revision;
    this.#initial = start.sendsInitial ? this.#current().toReversed() : [];
    this.#marksInitialEnd = start.marksEnd;
    this.#arm((wholeNumber(query, 'timeoutSeconds') ?? 0) * 1000 || this.#defaultTimeout());
  }

  /** Takes the events since the last read, up to a limit. */
  read(atMost: number): WatchRead {
    if (this.#isClosed || this.#failure !== undefined) return { events: [], isEnded: true };
    const events = this.#initialEvents(atMost);
    if (this.#initial.length === 0) this.#marksEnd(events);
    let isDrained = false;
    while (this.#initial.length === 0 && events.length < atMost && !isDrained) {
      const changes = this.#collection.changesAfter(this.#cursor, atMost);
      if (changes === undefined) return this.#expire(events);
      for (const change of changes) {
        if (events.length === atMost) break;
        const event = this.#eventOf(change);
        if (event) events.push(event);
        this.#cursor = change.revision;
      }
      isDrained = this.#collection.changesAfter(this.#cursor, 1)?.length === 0;
    }
    if (isDrained) {
      this.#cursor = this.#deps.store.revision;
      if (this.#bookmarks && (this.#bookmarkIsDue || this.#isOver)) {
        events.push(this.#bookmark());
        this.#bookmarkIsDue = false;
      }
    }
    const isEnded = isDrained && this.#isOver;
    if (isEnded) this.close();
    return { events, isEnded };
  }

  /** Calls once, when there is something to read; at once if there already is. */
  onReadable(call: () => void): void {
    this.#readable = call;
    if (this.#hasSomething()) return this.#wake();
    this.#stopListening ??= this.#collection.onNextChange(() => {
      this.#stopListening = undefined;
      this.#wake();
    });
  }

  /** Ends the watch without an event. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#readable = undefined;
    for (const disarm of this.#timers.splice(0)) disarm();
  }

  #hasSomething(): boolean {
    if (this.#initial.length > 0 || this.#marksInitialEnd || this.#isOver || this.#bookmarkIsDue) return true;
    return this.#collection.changesAfter(this.#cursor, 1)?.length !== 0;
  }

  #wake(): void {
    const call = this.#readable;
    this.#readable = undefined;
    call?.();
  }

  #current(): ApiObject[] {
    const { name, matches } = this.#selection;
    const objects: ApiObject[] = [];
    for (const key of this.#collection.keys()) {
      if (name !== undefined && !key.endsWith(name)) continue;
      const object = this.#collection.get(key);
      if (object && matches(object)) objects.push(object);
    }
    return objects;
  }

  #initialEvents(atMost: number): WatchEvent[] {
    const events: WatchEvent[] = [];
    while (events.length < atMost) {
      const object = this.#initial.pop();
      if (!object) break;
      events.push({ type: 'ADDED', object: shown(this.#kind, object) });
    }
    return events;
  }

  #marksEnd(events: WatchEvent[]): void {
    if (!this.#marksInitialEnd) return;
    this.#marksInitialEnd = false;
    events.push(this.#bookmark({ [INITIAL_EVENTS_END]: 'true' }));
  }

  #eventOf({ type, object, previous }: Change): WatchEvent | undefined {
    const isIn = type !== 'DELETED' && this.#selection.matches(object);
    const wasIn = previous !== undefined && this.#selection.matches(previous);
    if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', object: shown(this.#kind, object) };
    if (!wasIn) return undefined;
    // An object that left the selection is shown as it was inside the selection.
    const { resourceVersion } = object.metadata;
    const last = resourceVersion === undefined ? previous : withMetadata(previous, { resourceVersion });
    return { type: 'DELETED', object: shown(this.#kind, last) };
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): WatchEvent {
    const metadata = { resourceVersion: String(this.#cursor), ...(annotations && { annotations }) };
    return {
      type: 'BOOKMARK',
      object: { kind: this.#kind.kind, apiVersion: apiVersionOf(this.#kind), metadata },
    };
  }

  #expire(events: WatchEvent[]): WatchRead {
    const { status } = tooOld(this.#cursor, this.#collection);
    this.#failure = status;
    this.close();
    return { events: [...events, { type: 'ERROR', object: status }], isEnded: true };
  }

  /** Half an hour to an hour, so watches that were opened together do not return together. */
  #defaultTimeout(): number {
    return SHORTEST_DEFAULT_MS * (1 + this.#deps.random());
  }

  #arm(timeoutMs: number): void {
    const { clock } = this.#deps;
    this.#timers[0] = clock.after(timeoutMs, () => {
      this.#isOver = true;
      this.#wake();
    });
    if (!this.#bookmarks) return;
    const next = (): void => {
      this.#timers[1] = clock.after(BOOKMARK_EVERY_MS, () => {
        this.#bookmarkIsDue = true;
        next();
        this.#wake();
      });
    };
    next();
  }
}

const tooOld = (revision: number, collection: Collection) =>
  expired(`too old resource version: ${revision} (${collection.oldestRevision})`);

interface Start {
  readonly revision: number;
  readonly sendsInitial: boolean;
  readonly marksEnd: boolean;
}

/**
 * Returns where a watch begins. No revision, or 0: the present objects, then changes. Any other: changes after it,
 * or `Expired`. With `sendInitialEvents`: the present objects, a bookmark that marks their end, then changes
 * (KEP-3157).
 */
function startOf(query: URLSearchParams, current: number, collection: Collection): Start {
  const asked = wholeNumber(query, 'resourceVersion');
  const sendsInitial = query.get('sendInitialEvents');
  if (asked !== undefined && asked > current) throw revisionFromTheFuture(asked, current);
  if (sendsInitial !== null) {
    if (query.get('resourceVersionMatch') !== 'NotOlderThan') {
      throw badRequest('sendInitialEvents: resourceVersionMatch must be NotOlderThan where sendInitialEvents is given');
    }
    if (sendsInitial === 'true') {
      return { revision: current, sendsInitial: true, marksEnd: query.get('allowWatchBookmarks') === 'true' };
    }
    if (asked === undefined || asked === 0) return { revision: current, sendsInitial: false, marksEnd: false };
  }
  if (asked === undefined || asked === 0) return { revision: current, sendsInitial: true, marksEnd: false };
  if (asked < collection.oldestRevision) throw tooOld(asked, collection);
  return { revision: asked, sendsInitial: false, marksEnd: false };
}
