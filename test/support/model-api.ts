import type { ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent, WatchListener } from '../../src/api/api-transport.ts';

export interface ModelObject {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string; readonly name: string };
  readonly value: number;
}

interface ModelWatch {
  readonly listener: WatchListener;
  isOver: boolean;
}

/**
 * One kind of object in an API server, by the rules a client may rely on: versions grow, a watch delivers everything
 * after its version in order, and a version that is too old is rejected. The test triggers every step.
 */
/** The words of a v1.36 API server on an etcd that cannot report the progress of watches on request. */
const NO_PROGRESS = {
  kind: 'Status',
  status: 'Failure',
  code: 500,
  reason: 'InternalError',
  message: 'the required storage feature RequestWatchProgress is disabled',
};

export class ModelApi implements ApiTransport {
  readonly objects = new Map<string, ModelObject>();
  #version = 100;
  #log: { readonly version: number; readonly event: WatchEvent }[] = [];
  #oldest = 0;
  #watches: ModelWatch[] = [];
  lists = 0;
  down = false;
  /**
   * `refuses-in-stream`: the request is accepted, and the stream begins with an error, as when etcd lacks a feature.
   */
  initialEvents: 'offers' | 'refuses' | 'refuses-in-stream' = 'refuses';
  pageSize = 3;
  /** The rest of each list, by continue token. */
  readonly #pages = new Map<string, { readonly items: readonly ModelObject[]; readonly version: string }>();

  set(name: string, value: number): void {
    const known = this.objects.get(name);
    const version = ++this.#version;
    const uid = known?.metadata.uid ?? `${name}-${version}`;
    const object = { metadata: { uid, name, resourceVersion: String(version) }, value };
    this.objects.set(name, object);
    this.#happened(version, { type: known === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  delete(name: string): void {
    const known = this.objects.get(name);
    if (known === undefined) return;
    this.objects.delete(name);
    const version = ++this.#version;
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(version) } };
    this.#happened(version, { type: 'DELETED', object });
  }

  bookmark(): void {
    this.#say({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#version) } } });
  }

  /** The server remembers nothing of the past any more. */
  compact(): void {
    this.#oldest = this.#version;
    this.#log = [];
    this.#pages.clear();
  }

  breakWatches(how: 'in-order' | 'cut' | 'bad-event'): void {
    const message = how;
    const fault =
      how === 'in-order'
        ? undefined
        : how === 'cut'
          ? ({ kind: 'unreachable', message } as const)
          : ({ kind: 'unreadable', message } as const);
    for (const watch of this.#watches.splice(0)) {
      if (watch.isOver) continue;
      watch.isOver = true;
      watch.listener.ended(fault);
    }
  }

  get openWatches(): number {
    return this.#watches.filter(({ isOver }) => !isOver).length;
  }

  async call({ path }: Pick<ApiRequest, 'path'>): Promise<ApiOutcome<unknown>> {
    await Promise.resolve();
    if (this.down) return { ok: false, fault: { kind: 'unreachable', message: 'down' } };
    const token = new URL(path, 'http://model').searchParams.get('continue');
    if (token === null) this.lists += 1;
    const page =
      token === null ? { items: [...this.objects.values()], version: String(this.#version) } : this.#pages.get(token);
    if (page === undefined) return { ok: false, fault: EXPIRED };
    const rest = page.items.slice(this.pageSize);
    const next = rest.length > 0 ? `t${this.#pages.size}-${this.#version}` : undefined;
    if (next !== undefined) this.#pages.set(next, { items: rest, version: page.version });
    return {
      ok: true,
      value: {
        items: page.items.slice(0, this.pageSize),
        metadata: { resourceVersion: page.version, ...(next !== undefined && { continue: next }) },
      },
    };
  }

  watch(path: string, listener: WatchListener): () => void {
    const watch: ModelWatch = { listener, isOver: false };
    const query = new URL(path, 'http://model').searchParams;
    const from = query.get('resourceVersion');
    queueMicrotask(() => {
      if (watch.isOver) return;
      const end = (fault: Parameters<WatchListener['ended']>[0]): void => {
        watch.isOver = true;
        listener.ended(fault);
      };
      if (this.down) return end({ kind: 'unreachable', message: 'down' });
      this.#watches.push(watch);
      if (from === null) {
        if (this.initialEvents === 'refuses-in-stream')
          return listener.events([{ type: 'ERROR', object: NO_PROGRESS }]);
        if (this.initialEvents === 'refuses') {
          return end({ kind: 'refused', code: 422, reason: 'Invalid', message: 'not offered' });
        }
        for (const object of this.objects.values()) listener.events([{ type: 'ADDED', object }]);
        const annotations = { 'k8s.io/initial-events-end': 'true' };
        const metadata = { resourceVersion: String(this.#version), annotations };
        return listener.events([{ type: 'BOOKMARK', object: { metadata } }]);
      }
      if (Number(from) < this.#oldest) return end(EXPIRED);
      const missed = this.#log.filter(({ version }) => version > Number(from)).map(({ event }) => event);
      return missed.length > 0 ? listener.events(missed) : undefined;
    });
    return () => void (watch.isOver = true);
  }

  close(): void {}

  #happened(version: number, event: WatchEvent): void {
    this.#log.push({ version, event });
    this.#say(event);
  }

  #say(event: WatchEvent): void {
    for (const watch of this.#watches) if (!watch.isOver) watch.listener.events([event]);
  }
}

const EXPIRED = { kind: 'refused', code: 410, reason: 'Expired', message: 'too old resource version' } as const;
