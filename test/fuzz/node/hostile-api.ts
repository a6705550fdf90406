import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent, WatchListener } from '../../../src/api/api-transport.ts';
import { SimulatedApi } from '../../simulation/node/simulated-api.ts';
import type { ThreadLife } from '../../simulation/node/simulated-thread.ts';
import type { Owner, VirtualTime } from '../../simulation/node/virtual-time.ts';

interface OpenWatch {
  readonly path: string;
  readonly owner: Owner;
  readonly listener: WatchListener;
  readonly close: () => void;
}

/** The embedded API server behind a proxy that adds answers and events. */
export class HostileApi extends SimulatedApi {
  /** Returns an answer in place of the server's own; `undefined` when the server answers. */
  answer: (request: ApiRequest) => ApiOutcome<unknown> | undefined = () => undefined;
  /** Every request of the agent, as it is made. */
  asked: (request: ApiRequest) => void = () => {};
  readonly #time: VirtualTime;
  readonly #watches = new Set<OpenWatch>();
  readonly #served = new Map<string, readonly object[]>();

  constructor(time: VirtualTime, seed: number) {
    super(time, seed);
    this.#time = time;
  }

  override transportFor(life: Pick<ThreadLife, 'owner' | 'whenOver'>): ApiTransport {
    const inner = super.transportFor(life);
    return {
      call: async (request, timeoutMs) => {
        this.asked(request);
        const other = this.answer(request);
        // The server's own answer is still awaited, since an answer takes time.
        const outcome = await inner.call(request, timeoutMs);
        return other ?? outcome;
      },
      watch: (path, listener) => this.#watch(inner, { path, listener, owner: life.owner }),
      close: () => inner.close(),
    };
  }

  /** Sends events on the open watches with this path prefix. */
  send(prefix: string, events: readonly WatchEvent[]): void {
    for (const { owner, listener } of this.#matching(prefix)) {
      this.#time.in(0.1, owner, { label: 'hostile events', run: () => listener.events(events) });
    }
  }

  /** From now on, watches with this path prefix begin with the server's objects and then these. */
  serve(prefix: string, objects: readonly object[]): void {
    this.#served.set(prefix, objects);
  }

  /** Ends these watches as a server with a compacted history does: the agent lists everything again. */
  forget(prefix: string): void {
    for (const { owner, listener, close } of this.#matching(prefix)) {
      close();
      const fault = { kind: 'refused', code: 410, reason: 'Expired', message: 'too old resource version' } as const;
      this.#time.in(0.1, owner, { label: 'watch expires', run: () => listener.ended(fault) });
    }
  }

  #matching(prefix: string): readonly OpenWatch[] {
    return [...this.#watches].filter(({ path, owner }) => path.startsWith(prefix) && !owner.dead);
  }

  #watch(
    inner: ApiTransport,
    { path, listener, owner }: { readonly path: string; readonly listener: WatchListener; readonly owner: Owner },
  ): () => void {
    const stop = inner.watch(path, {
      events: (events) => listener.events(events),
      ended: (fault) => {
        this.#watches.delete(watch);
        listener.ended(fault);
      },
    });
    const served = [...this.#served].flatMap(([prefix, objects]) => (path.startsWith(prefix) ? objects : []));
    if (served.length > 0) {
      const run = (): void => {
        if (this.#watches.has(watch)) listener.events(served.map((object) => ({ type: 'ADDED', object })));
      };
      this.#time.in(1, owner, { label: 'served objects', run });
    }
    const close = (): void => {
      this.#watches.delete(watch);
      stop();
    };
    const watch: OpenWatch = { path, owner, listener, close };
    this.#watches.add(watch);
    return close;
  }
}
