import type { Dispatcher } from 'undici';
import { later, elapsedMs, type Clock, type MonotonicMs } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import { put } from '../../kube/text/own.ts';
import type { ApiTransport, WatchListener } from '../api-transport.ts';
import type { ApiFault, ApiOutcome, ApiRequest, PatchType } from '../api-request.ts';
import { CallHandler } from './call-handler.ts';
import type { Connections } from './connections.ts';
import { sameConnection, sameIdentity, type Identity, type IdentitySource } from '../kubeconfig/kubeconfig-identity.ts';
import { idleTimeoutMs, WatchHandler } from './watch-handler.ts';
import { messageOf } from '../../kube/text/message-of.ts';

export interface NetworkTransportOptions {
  readonly source: IdentitySource;
  /** Loads the HTTP library only where and when calls are made. */
  readonly open: (identity: Identity) => Connections;
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  /** How long a watch of this path may be silent; `idleTimeoutMs` by default. */
  readonly idleMs?: (path: string) => number;
}

/** Credential files are checked at this interval. */
const LOOK_AGAIN_MS = 10_000;
/** While a server refuses the agent's identity, files are read and plugins run no more often than this. */
const DISCARD_EVERY_MS = 5_000;

const methods = { get: 'GET', list: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const patchTypes: Readonly<Record<PatchType, string>> = {
  'strategic-merge': 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * The network transport to an API server. Credentials are read on first use and checked regularly. A new token is
 * used from the next call on; a new certificate or server closes every connection. The previous credentials stay in
 * use while the files cannot be read.
 */
export function networkTransport(options: NetworkTransportOptions): ApiTransport {
  return new NetworkTransport(options);
}

class NetworkTransport implements ApiTransport {
  readonly #options: NetworkTransportOptions;
  #connections: Connections | undefined;
  #identity: Identity | undefined;
  #reading: Promise<ApiFault | undefined> | undefined;
  #complaint = '';
  #distrustedAt: MonotonicMs = -Infinity;
  #disarm: () => void = () => {};
  #closed = false;

  constructor(options: NetworkTransportOptions) {
    this.#options = options;
  }

  async call(request: ApiRequest, timeoutMs: number): Promise<ApiOutcome<unknown>> {
    const { clock } = this.#options;
    const deadline = later(clock.monotonic(), timeoutMs);
    const fault = await this.#ready();
    if (fault !== undefined) return { ok: false, fault };
    const identity = this.#identity;
    const outcome = await this.#send(request, timeoutMs);
    if (outcome.ok || outcome.fault.kind !== 'refused' || outcome.fault.code !== 401) return outcome;
    await this.#discardCredentials();
    const leftMs = elapsedMs(clock.monotonic(), deadline);
    // A refused call had no effect: it is made once more under the new identity.
    return this.#identity === identity || leftMs <= 0 ? outcome : this.#send(request, leftMs);
  }

  watch(path: string, listener: WatchListener): () => void {
    const { idleMs: idleOf = idleTimeoutMs } = this.#options;
    const idleMs = idleOf(path);
    const handler = new WatchHandler({
      path,
      idleMs,
      clock: this.#options.clock,
      events: (events) => listener.events(events),
      ended: (fault) => {
        if (fault?.kind === 'refused' && fault.code === 401) void this.#discardCredentials();
        listener.ended(fault);
      },
    });
    void this.#ready().then((fault) => this.#openWatch(handler, { path, idleMs, fault }));
    return () => handler.abort();
  }

  #openWatch(
    handler: WatchHandler,
    { path, idleMs, fault }: { readonly path: string; readonly idleMs: number; readonly fault: ApiFault | undefined },
  ): void {
    const connections = this.#connections;
    if (fault !== undefined || connections === undefined) return handler.fail(fault ?? CLOSED);
    connections.watches.dispatch(
      {
        origin: connections.origin,
        path: `${connections.prefix}${path}`,
        method: 'GET',
        headers: this.#headers(undefined),
        // Headers arrive at once; events arrive when there are some.
        headersTimeout: 60_000,
        bodyTimeout: idleMs,
      },
      handler,
    );
  }

  close(): void {
    this.#closed = true;
    this.#disarm();
    this.#connections?.retire('the agent stops');
    this.#connections = undefined;
  }

  #send(request: ApiRequest, timeoutMs: number): Promise<ApiOutcome<unknown>> {
    const connections = this.#connections;
    if (connections === undefined) return Promise.resolve({ ok: false, fault: CLOSED });
    const { promise, resolve } = Promise.withResolvers<ApiOutcome<unknown>>();
    const { clock } = this.#options;
    const handler = new CallHandler({ request, timeoutMs, clock, resolve });
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const options: Dispatcher.DispatchOptions = {
      origin: connections.origin,
      path: `${connections.prefix}${request.path}`,
      method: methods[request.verb],
      headers: this.#headers(body === null ? undefined : contentType(request)),
      body,
      // Otherwise the library closes the connection after each DELETE with a body, which is every pod's last call.
      reset: false,
      // The handler enforces the deadline for the whole call.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    connections.calls.dispatch(options, handler);
    return promise;
  }

  #headers(content: string | undefined): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
    };
    if (content !== undefined) headers['content-type'] = content;
    for (const [name, value] of Object.entries(this.#identity?.headers ?? {})) {
      put(headers, name, typeof value === 'string' ? value : [...value]);
    }
    return headers;
  }

  // ---- identity
  // -------------------------------------------------------------------------------------------------------

  async #ready(): Promise<ApiFault | undefined> {
    if (this.#closed) return CLOSED;
    return this.#connections === undefined ? this.#read() : undefined;
  }

  #read(): Promise<ApiFault | undefined> {
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readNow(): Promise<ApiFault | undefined> {
    const { source, open, clock, log } = this.#options;
    this.#disarm();
    try {
      const identity = await source.read();
      if (this.#closed) return CLOSED;
      const before = this.#identity;
      if (before === undefined || !sameConnection(before, identity)) {
        const connections = open(identity);
        this.#connections?.retire('the credentials for the API server have changed');
        this.#connections = connections;
        if (before !== undefined)
          log.info(
            { server: identity.server },
            'credentials for the API server changed; reconnecting with the new ones',
          );
      }
      if (before === undefined || !sameIdentity(before, identity)) this.#identity = identity;
      this.#complaint = '';
      return undefined;
    } catch (error) {
      const message = messageOf(error);
      if (message !== this.#complaint && this.#identity !== undefined) {
        log.warn(
          { problem: message },
          'cannot read the credentials for the API server; using the previous ones until they can be read',
        );
      }
      this.#complaint = message;
      return { kind: 'unreachable', message: `no credentials for the API server: ${message}` };
    } finally {
      if (!this.#closed) this.#disarm = clock.after(LOOK_AGAIN_MS, () => void this.#read());
    }
  }

  async #discardCredentials(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (now - this.#distrustedAt < DISCARD_EVERY_MS) {
      await this.#reading;
      return;
    }
    this.#distrustedAt = now;
    this.#options.source.discardCredentials();
    await this.#read();
  }
}

const CLOSED: ApiFault = { kind: 'not-sent', message: 'the transport to the API server is closed' };

const contentType = ({ verb, patchType }: ApiRequest): string =>
  verb === 'patch' ? patchTypes[patchType ?? 'strategic-merge'] : 'application/json';
