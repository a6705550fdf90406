import type { Dispatcher } from 'undici';
import { later, elapsedMs, type Clock, type MonotonicMs } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import { put } from '../../kube/text/own.ts';
import type { ApiTransport, WatchListener } from '../api-transport.ts';
import type { ApiFault, ApiOutcome, ApiRequest, PatchType } from '../api-request.ts';
import { apiResourceOf } from '../api-path.ts';
import { CallHandler, type CallAnswer } from './call-handler.ts';
import { ContentForms, isFormRefused, JSON_TYPE, PROTOBUF, type ContentForm } from './content-forms.ts';
import type { ObjectCodec } from './object-codec.ts';
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
  /** Objects travel in protobuf where both sides can. Without a codec, all is JSON. */
  readonly codec?: ObjectCodec;
  /** Counts the answers and watches of each resource by their form. */
  readonly answered?: (resource: string, form: ContentForm) => void;
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
  readonly #forms: ContentForms;
  #connections: Connections | undefined;
  #identity: Identity | undefined;
  #reading: Promise<ApiFault | undefined> | undefined;
  #complaint = '';
  #distrustedAt: MonotonicMs = -Infinity;
  #disarm: () => void = () => {};
  #closed = false;

  constructor(options: NetworkTransportOptions) {
    this.#options = options;
    this.#forms = new ContentForms(options.codec === undefined ? 'json' : 'protobuf', options.clock);
  }

  async call(request: ApiRequest, timeoutMs: number): Promise<ApiOutcome<unknown>> {
    const { clock } = this.#options;
    const deadline = later(clock.monotonic(), timeoutMs);
    const fault = await this.#ready();
    if (fault !== undefined) return { ok: false, fault };
    const identity = this.#identity;
    const outcome = await this.#sendInForm(request, deadline);
    if (outcome.ok || outcome.fault.kind !== 'refused' || outcome.fault.code !== 401) return outcome;
    await this.#discardCredentials();
    const leftMs = elapsedMs(clock.monotonic(), deadline);
    // A refused call had no effect: it is made once more under the new identity.
    return this.#identity === identity || leftMs <= 0 ? outcome : this.#sendInForm(request, deadline);
  }

  watch(path: string, listener: WatchListener): () => void {
    const { idleMs: idleOf = idleTimeoutMs, answered } = this.#options;
    const idleMs = idleOf(path);
    const resource = apiResourceOf(path);
    let abort = (): void => {};
    const open = (): void => {
      const form = this.#forms.formOf(resource);
      const handler = new WatchHandler({
        path,
        idleMs,
        clock: this.#options.clock,
        codec: form === 'protobuf' ? this.#options.codec : undefined,
        begun: (answeredIn) => answeredIn !== undefined && answered?.(resource, answeredIn),
        events: (events) => listener.events(events),
        ended: ({ fault, wantsJson }) => {
          if (wantsJson) this.#useJson(resource, fault);
          // The server refused the form only, so the watch has not begun.
          if (wantsJson && fault?.kind === 'refused' && isFormRefused(fault.code)) return open();
          if (fault?.kind === 'refused' && fault.code === 401) void this.#discardCredentials();
          listener.ended(fault);
        },
      });
      abort = () => handler.abort();
      void this.#ready().then((fault) => this.#openWatch(handler, { path, idleMs, form, fault }));
    };
    open();
    return () => abort();
  }

  #openWatch(handler: WatchHandler, { path, idleMs, form, fault }: WatchToOpen): void {
    const connections = this.#connections;
    if (fault !== undefined || connections === undefined) return handler.fail(fault ?? CLOSED);
    connections.watches.dispatch(
      {
        origin: connections.origin,
        path: `${connections.prefix}${path}`,
        method: 'GET',
        headers: this.#headers(form, undefined),
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

  /** Sends a request in the form of its resource. Where the server does not take that form, JSON follows at once. */
  async #sendInForm(request: ApiRequest, deadline: MonotonicMs): Promise<ApiOutcome<unknown>> {
    const { clock, answered } = this.#options;
    const resource = apiResourceOf(request.path);
    const leftMs = (): number => elapsedMs(clock.monotonic(), deadline);
    const first = await this.#send(request, { form: this.#forms.formOf(resource), timeoutMs: leftMs() });
    if (first.outcome.ok && first.form !== undefined) answered?.(resource, first.form);
    if (!first.wantsJson) return first.outcome;
    this.#useJson(resource, first.outcome.ok ? undefined : first.outcome.fault);
    if (!mayRepeat(request, first.outcome) || leftMs() <= 0) return first.outcome;
    const again = await this.#send(request, { form: 'json', timeoutMs: leftMs() });
    if (again.outcome.ok && again.form !== undefined) answered?.(resource, again.form);
    return again.outcome;
  }

  #useJson(resource: string, fault: ApiFault | undefined): void {
    if (!this.#forms.refused(resource)) return;
    this.#options.log.info(
      { resource, problem: fault?.message ?? 'the answer was JSON' },
      'the API server does not exchange this resource in protobuf; using JSON, protobuf is tried again in 30 min',
    );
  }

  #send(
    request: ApiRequest,
    { form, timeoutMs }: { readonly form: ContentForm; readonly timeoutMs: number },
  ): Promise<CallAnswer> {
    const connections = this.#connections;
    if (connections === undefined) {
      return Promise.resolve({ outcome: { ok: false, fault: CLOSED }, form: undefined, wantsJson: false });
    }
    const { promise, resolve } = Promise.withResolvers<CallAnswer>();
    const { clock } = this.#options;
    const codec = form === 'protobuf' ? this.#options.codec : undefined;
    const handler = new CallHandler({ request, timeoutMs, clock, codec, resolve });
    const { body, type } = contentOf(request, codec);
    const options: Dispatcher.DispatchOptions = {
      origin: connections.origin,
      path: `${connections.prefix}${request.path}`,
      method: methods[request.verb],
      headers: this.#headers(form, type),
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

  #headers(form: ContentForm, content: string | undefined): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {
      accept: form === 'protobuf' ? `${PROTOBUF},${JSON_TYPE}` : JSON_TYPE,
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

interface WatchToOpen {
  readonly path: string;
  readonly idleMs: number;
  readonly form: ContentForm;
  readonly fault: ApiFault | undefined;
}

/** `true` if the request had no effect, or may have it twice. */
const mayRepeat = ({ verb }: ApiRequest, outcome: ApiOutcome<unknown>): boolean =>
  !outcome.ok &&
  (verb === 'get' || verb === 'list' || (outcome.fault.kind === 'refused' && isFormRefused(outcome.fault.code)));

interface Content {
  readonly body: string | Buffer | null;
  /** `undefined` when there is no body. */
  readonly type: string | undefined;
}

/** Returns the body of a request. Patches and options of deletions are always JSON. */
function contentOf({ verb, body, patchType }: ApiRequest, codec: ObjectCodec | undefined): Content {
  if (body === undefined) return { body: null, type: undefined };
  if (verb === 'patch') return { body: JSON.stringify(body), type: patchTypes[patchType ?? 'strategic-merge'] };
  const bytes = verb === 'create' || verb === 'update' ? codec?.writeBody(body) : undefined;
  return bytes === undefined ? { body: JSON.stringify(body), type: JSON_TYPE } : { body: bytes, type: PROTOBUF };
}
