import type { ApiFault, ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchListener } from '../../../src/api/api-transport.ts';
import type { Owner, VirtualTime } from './virtual-time.ts';

/** A fault of the API server, or of the network to it. */
export type Weather =
  | { readonly type: 'fair' }
  /** The server does not listen; open connections break. */
  | { readonly type: 'away' }
  /** Connections stay open, but no bytes arrive any more. */
  | { readonly type: 'silent' }
  | { readonly type: 'slow'; readonly delayMs: number }
  /** Too many requests: most are rejected. */
  | { readonly type: 'busy'; readonly retryAfterMs: number }
  /** Every other write is a conflict. */
  | { readonly type: 'conflicts' }
  /** The server does not know the agent any more. */
  | { readonly type: 'stranger' }
  /** Requests for these paths are refused, and watches of them fail at once. */
  | { readonly type: 'refusing'; readonly paths: RegExp; readonly code: number }
  /** Requests for these paths are not answered, and watches of them stay without events. */
  | { readonly type: 'deaf'; readonly paths: RegExp };

/** One request of the agent; a watch is a request too. */
export interface MadeRequest {
  readonly at: number;
  readonly verb: ApiRequest['verb'] | 'watch';
  readonly path: string;
  readonly ok: boolean;
}

/** The agent ends a silent watch after this time (`idleTimeoutMs`). */
const IDLE_MS = 180_000;
const READS: ReadonlySet<string> = new Set(['get', 'list']);

/** A proxy between an agent and its API server, which records all requests. */
export class ApiWeather {
  readonly requests: MadeRequest[] = [];
  readonly #time: VirtualTime;
  #now: Weather = { type: 'fair' };
  /** Watches from before this revision are rejected: the server has compacted its history. */
  #forgottenBefore = 0;
  #writes = 0;
  readonly #open = new Set<OpenWatch>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  turn(weather: Weather): void {
    this.#now = weather;
    if (weather.type === 'refusing') {
      for (const watch of this.#open)
        if (weather.paths.test(watch.path)) watch.fail(refused(weather.code, 'Forbidden'));
    }
    if (weather.type === 'away') for (const watch of this.#open) watch.fail(UNREACHABLE);
  }

  /** Compacts the history before this revision. */
  forget(before: number): void {
    this.#forgottenBefore = before;
  }

  over(transport: ApiTransport, owner: Owner): ApiTransport {
    return {
      call: (request, timeoutMs) => this.#call(transport, { request, timeoutMs, owner }),
      watch: (path, listener) => this.#watch(transport, { path, listener, owner }),
      close: () => transport.close(),
    };
  }

  async #call(
    transport: ApiTransport,
    { request, timeoutMs, owner }: { readonly request: ApiRequest; readonly timeoutMs: number; readonly owner: Owner },
  ): Promise<ApiOutcome<unknown>> {
    const { verb, path } = request;
    const note = (outcome: ApiOutcome<unknown>): ApiOutcome<unknown> => {
      this.requests.push({ at: this.#time.now, verb, path, ok: outcome.ok });
      return outcome;
    };
    const weather = this.#now;
    switch (weather.type) {
      case 'fair':
        return note(await transport.call(request, timeoutMs));
      case 'away':
        await this.#pass(1, owner);
        return note({ ok: false, fault: UNREACHABLE });
      case 'silent':
        await this.#pass(timeoutMs, owner);
        return note({ ok: false, fault: { kind: 'timed-out', message: 'no answer' } });
      case 'slow':
        await this.#pass(Math.min(weather.delayMs, timeoutMs), owner);
        if (weather.delayMs < timeoutMs) return note(await transport.call(request, timeoutMs - weather.delayMs));
        // The request still has its effect.
        void transport.call(request, timeoutMs);
        return note({ ok: false, fault: { kind: 'timed-out', message: 'no answer in time' } });
      case 'busy':
        if (this.#time.random() < 0.2) return note(await transport.call(request, timeoutMs));
        await this.#pass(1, owner);
        return note({ ok: false, fault: refused(429, 'TooManyRequests', weather.retryAfterMs) });
      case 'conflicts':
        if (READS.has(verb) || ++this.#writes % 2 === 0) return note(await transport.call(request, timeoutMs));
        return note({ ok: false, fault: refused(409, 'Conflict') });
      case 'stranger':
        await this.#pass(1, owner);
        return note({ ok: false, fault: refused(401, 'Unauthorized') });
      case 'refusing':
        if (!weather.paths.test(path)) return note(await transport.call(request, timeoutMs));
        await this.#pass(1, owner);
        return note({ ok: false, fault: refused(weather.code, 'Forbidden') });
      case 'deaf':
        if (!weather.paths.test(path)) return note(await transport.call(request, timeoutMs));
        await this.#pass(timeoutMs, owner);
        return note({ ok: false, fault: { kind: 'timed-out', message: 'no answer' } });
      default:
        return weather satisfies never;
    }
  }

  #watch(
    transport: ApiTransport,
    { path, listener, owner }: { readonly path: string; readonly listener: WatchListener; readonly owner: Owner },
  ): () => void {
    const version = Number(new URLSearchParams(path.split('?')[1]).get('resourceVersion') ?? Number.NaN);
    const fault = this.#watchFault(path, version);
    this.requests.push({ at: this.#time.now, verb: 'watch', path, ok: fault === undefined });
    const watch = new OpenWatch(path, listener, () => this.#open.delete(watch));
    this.#open.add(watch);
    if (fault !== undefined) this.#time.in(1, owner, { label: 'watch fails', run: () => watch.fail(fault) });
    else if (!this.#isDeafTo(path)) this.#pump(transport, { path, watch, owner });
    return () => watch.close();
  }

  #pump(
    transport: ApiTransport,
    { path, watch, owner }: { readonly path: string; readonly watch: OpenWatch; readonly owner: Owner },
  ): void {
    let heardAt = this.#time.now;
    watch.stop = transport.watch(path, {
      events: (events) => {
        // Events on a dead connection are lost.
        if (this.#now.type === 'silent') watch.isDead = true;
        if (watch.isDead) return;
        heardAt = this.#time.now;
        watch.listener.events(events);
      },
      ended: (fault) => watch.fail(fault),
    });
    const look = (): void => {
      if (watch.isOver) return;
      if (this.#now.type === 'silent') watch.isDead = true;
      if (watch.isDead && this.#time.now - heardAt > IDLE_MS)
        watch.fail({ kind: 'timed-out', message: 'nothing came' });
      else this.#time.in(5_000, owner, { label: 'looks at a watch', run: look });
    };
    look();
  }

  #isDeafTo(path: string): boolean {
    return this.#now.type === 'deaf' && this.#now.paths.test(path);
  }

  #watchFault(path: string, version: number): ApiFault | undefined {
    switch (this.#now.type) {
      case 'away':
        return UNREACHABLE;
      case 'stranger':
        return refused(401, 'Unauthorized');
      case 'busy':
        return this.#time.random() < 0.2 ? undefined : refused(429, 'TooManyRequests', this.#now.retryAfterMs);
      case 'refusing':
        return this.#now.paths.test(path) ? refused(this.#now.code, 'Forbidden') : undefined;
      case 'fair':
      case 'deaf':
      case 'silent':
      case 'slow':
      case 'conflicts':
        return version < this.#forgottenBefore ? refused(410, 'Expired') : undefined;
      default:
        return this.#now satisfies never;
    }
  }

  #pass(ms: number, owner: Owner): Promise<void> {
    return new Promise((resolve) => void this.#time.in(ms, owner, { label: 'API weather', run: resolve }));
  }
}

class OpenWatch {
  readonly path: string;
  readonly listener: WatchListener;
  readonly #over: () => void;
  isOver = false;
  isDead = false;
  stop: () => void = () => {};

  constructor(path: string, listener: WatchListener, over: () => void) {
    this.path = path;
    this.listener = listener;
    this.#over = over;
  }

  close(): void {
    this.isOver = true;
    this.stop();
    this.#over();
  }

  fail(fault: ApiFault | undefined): void {
    if (this.isOver) return;
    this.close();
    this.listener.ended(fault);
  }
}

const UNREACHABLE: ApiFault = { kind: 'unreachable', message: 'connect ECONNREFUSED' };

const refused = (code: number, reason: string, retryAfterMs?: number): ApiFault => ({
  kind: 'refused',
  code,
  reason,
  message: reason,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
