import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { SeenEvent } from './compare-events.ts';
import type { StatusEntry } from './scenario.ts';
import { statusEntry } from './status-entry.ts';

/** The observations of a watch for the pods of one name. */
export interface PodHistory {
  readonly entries: StatusEntry[];
  /** The newest object; `undefined` when there is none (any more). */
  newest: Pod | undefined;
  deletions: number;
  goneAt: number | undefined;
}

export interface RecordedEvent extends SeenEvent {
  readonly pod: string;
  readonly count: number;
}

interface EventObject {
  readonly metadata: { readonly uid?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number };
}

/** Watches pods and events of a namespace, and records each change. */
export class ObjectRecorder {
  readonly pods = new Map<string, PodHistory>();
  readonly events = new Map<string, RecordedEvent>();
  /** The instant at which each status was first seen. */
  readonly seenAt = new Map<StatusEntry, number>();
  readonly #now: () => number;
  readonly #changed: () => void;
  readonly #withResources: boolean;
  readonly #watches: (() => void)[] = [];

  constructor(options: { readonly now: () => number; readonly changed: () => void; readonly withResources: boolean }) {
    this.#now = options.now;
    this.#changed = options.changed;
    this.#withResources = options.withResources;
  }

  /** Watches from a version on: by default all that there is. */
  watch(api: ApiTransport, namespace: string, from = '0'): void {
    const watch = (resource: string, seen: (type: string, object: never) => void): void => {
      const stop = api.watch(`/api/v1/namespaces/${namespace}/${resource}?watch=true&resourceVersion=${from}`, {
        events: (events) => {
          for (const { type, object } of events) if (type !== 'BOOKMARK') seen(type, object as never);
          this.#changed();
        },
        ended: (fault) => {
          throw new Error(`the watch of ${resource} ended: ${JSON.stringify(fault)}`);
        },
      });
      this.#watches.push(stop);
    };
    watch('pods', (type, pod: Pod) => this.#pod(type, pod));
    watch('events', (_, event: EventObject) => this.#event(event));
  }

  stop(): void {
    for (const stop of this.#watches.splice(0)) stop();
  }

  history(name: string): PodHistory {
    let history = this.pods.get(name);
    if (history === undefined) {
      history = { entries: [], newest: undefined, deletions: 0, goneAt: undefined };
      this.pods.set(name, history);
    }
    return history;
  }

  /** Returns a copy of the observations so far. */
  snapshot(): ObjectRecorder {
    const copy = new ObjectRecorder({ now: this.#now, changed: this.#changed, withResources: this.#withResources });
    for (const [name, history] of this.pods) copy.pods.set(name, { ...history, entries: [...history.entries] });
    for (const [uid, event] of this.events) copy.events.set(uid, event);
    for (const [entry, at] of this.seenAt) copy.seenAt.set(entry, at);
    return copy;
  }

  #pod(type: string, pod: Pod): void {
    const history = this.history(pod.metadata.name);
    if (type === 'DELETED') {
      // The last object may have changes that no watch event had.
      this.#entry(history, statusEntry(pod, this.#withResources));
      this.#entry(history, { gone: true });
      history.newest = undefined;
      history.deletions++;
      history.goneAt = this.#now();
      return;
    }
    const isNew = type === 'ADDED' && history.deletions > 0 && history.newest === undefined;
    this.#entry(history, { ...(isNew && { newUid: true }), ...statusEntry(pod, this.#withResources) });
    history.newest = pod;
  }

  #entry({ entries }: PodHistory, entry: StatusEntry): void {
    const { newUid: _, ...last } = entries.at(-1) ?? {};
    if (entry.newUid !== true && JSON.stringify(last) === JSON.stringify(entry)) return;
    entries.push(entry);
    this.seenAt.set(entry, this.#now());
  }

  #event({ metadata, involvedObject, type = '', reason = '', message = '', count, series }: EventObject): void {
    const { kind, name = '', fieldPath } = involvedObject ?? {};
    if (kind !== 'Pod') return;
    const seen = { pod: name, type, reason, field: fieldPath, message, count: series?.count ?? count ?? 1 };
    this.events.set(metadata.uid ?? `${name}/${reason}/${message}`, seen);
  }
}
