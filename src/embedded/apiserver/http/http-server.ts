import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { splitTarget } from '../../../kube/text/split-target.ts';
import { refuseMalformed } from '../../../serving/streams/serve-stream.ts';
import { JSON_TYPE, PROTOBUF } from '../../../api/transport/content-forms.ts';
import { allowedUser } from '../access/refusal-of-access.ts';
import { acceptedForm } from './accepted-form.ts';
import { discoverAtOnce } from './aggregated-discovery.ts';
import type { ApiCore } from '../store/api-core.ts';
import type { ApiUser } from '../store/api-kind.ts';
import { anonymous, type StaticTokens, userOfRequest } from './authenticate.ts';
import type { ApiMethod } from '../store/core-contract.ts';
import type { KeyPair } from '../subresources/certificate-authority.ts';
import type { FaultSource, InjectedFault } from './fault-injection.ts';
import { collectBody, HttpExchange } from '../http-exchange.ts';
import { answerMetrics, METRICS_GROUP, type MetricsApi } from '../nodes/metrics-api.ts';
import { encodeAnswer, type Form } from './negotiate.ts';
import { openApiDocument } from '../openapi/document.ts';
import { discover, servedPaths, servedVersions } from './discovery.ts';
import { readBody } from './read-body.ts';
import { Refusal } from '../store/refusal.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { parseResourcePath } from './request-path.ts';
import { sendStatus } from './send-status.ts';
import { serverVersion } from './server-version.ts';
import { nodeSubresources, streamSubresources } from '../subresources/subresources.ts';
import { streamWatch } from './stream-watch.ts';
import { messageOf } from '../../../kube/text/message-of.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly certificate: KeyPair;
  /** A client certificate of this authority identifies its user. */
  readonly clientAuthority: string;
  readonly tokens: StaticTokens;
  readonly faults?: FaultSource;
  /** Answers requests that only a node can answer: logs, exec, attach, port-forward. Without it they are refused. */
  readonly nodeCalls?: NodeCalls;
  /** Answers `kubectl top`. Without it there are no metrics. */
  readonly metrics?: MetricsApi;
}

/** The way to the servers of nodes. Each method answers the client itself, whatever happens. */
export interface NodeCalls {
  request(exchange: HttpExchange): void;
  upgrade(asked: UpgradeConnection): void;
}

/** A connection that asks to become a stream. Its user is identified. */
export interface UpgradeConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface HttpServer {
  readonly address: string;
  readonly port: number;
  /** Cuts every open connection, as a dying server does. This server keeps running. */
  dropConnections(): void;
  close(): Promise<void>;
}

/** In bytes. `kubectl` puts selectors and field managers into a query, and little else. */
const LONGEST_TARGET = 64 * 1024;
const IDLE_CONNECTION_MS = 72_000;
/** Smaller answers are not worth compressing. */
const GZIP_FROM_BYTES = 128 * 1024;
/** Paths that need no credentials. */
const OPEN_PATHS = /^\/(healthz|readyz|livez|version)(\/|$)/;

const compress = promisify(gzip);

/** Serves the API on a loopback address, over TLS. */
export async function serveHttp(core: ApiCore, options: HttpOptions): Promise<HttpServer> {
  const { certificate, clientAuthority } = options;
  const underWay = new WeakMap<Duplex, number>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    response.on('error', () => response.destroy());
    void respondTo(core, options, { request, response });
  };
  const server = createServer(
    {
      key: certificate.key,
      cert: certificate.certificate,
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      // A body may take its time: the client or this server's end limits a request.
      requestTimeout: 0,
      shouldUpgradeCallback: ({ url = '/' }: IncomingMessage) => mayUpgrade(url),
    },
    answer,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuseMalformed(socket, error, (underWay.get(socket) ?? 0) > 0);
  });
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    const user = userOfRequest(core, options.tokens, request);
    if (!user || user === anonymous) {
      return void socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    }
    const allowed = allowedUser(core.store, user, request);
    if (allowed instanceof Refusal) return refuseUpgrade(socket, allowed);
    if (options.nodeCalls) return options.nodeCalls.upgrade({ request, socket, head });
    socket.end('HTTP/1.1 501 Not Implemented\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    // A reset by the peer needs no action.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // The server listens on an address, not on a path.
  const { port } = server.address() as AddressInfo;
  return {
    address: `https://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      // The HTTP server has released these sockets, and yet waits for them.
      for (const socket of upgraded) socket.destroy();
      return new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Reads a request and answers it. Never rejects: a failure is an answer too. */
async function respondTo(core: ApiCore, options: HttpOptions, { request, response }: Asked): Promise<void> {
  const body = await collectBody(request);
  if (body === undefined) return void response.destroy();
  const exchange = new HttpExchange(request, response, body instanceof Refusal ? Buffer.alloc(0) : body);
  if (body instanceof Refusal) {
    response.shouldKeepAlive = false;
    return sendStatus(exchange, body.status);
  }
  try {
    await new Responder(core, options, exchange).run();
  } catch (error) {
    const message = messageOf(error);
    if (response.headersSent) response.destroy();
    else sendStatus(exchange, new Refusal({ code: 500, reason: 'InternalError', message }).status);
  }
}

/** `true` if the path is for a stream to a node. Any other path is answered in plain HTTP. */
function mayUpgrade(url: string): boolean {
  const named = parseResourcePath(url);
  return named !== undefined && streamSubresources.has(`${named.resource}/${named.subresource}`);
}

class Responder {
  readonly #core: ApiCore;
  readonly #options: HttpOptions;
  readonly #exchange: HttpExchange;

  constructor(core: ApiCore, options: HttpOptions, exchange: HttpExchange) {
    this.#core = core;
    this.#options = options;
    this.#exchange = exchange;
  }

  async run(): Promise<void> {
    const { method, url, headers } = this.#exchange;
    if (url.length > LONGEST_TARGET || !url.startsWith('/')) {
      const [code, reason] = url.startsWith('/') ? [414, 'RequestURITooLong'] : [400, 'BadRequest'];
      return sendStatus(
        this.#exchange,
        new Refusal({ code, reason, message: 'the request target is not served' }).status,
      );
    }
    const fault = this.#options.faults?.({
      method,
      path: url,
      isWatch: /[?&]watch=(1|true)\b/.test(url),
      userAgent: headers['user-agent'] ?? '',
    });
    if (fault && (await this.#fail(fault))) return;
    await this.#respond();
    if (fault?.type === 'drop') this.#exchange.request.socket.destroy();
  }

  /** Resolves with `true` if the fault replaces the answer. */
  async #fail(fault: InjectedFault): Promise<boolean> {
    switch (fault.type) {
      case 'slow':
        await new Promise<void>((resolve) => this.#core.options.clock.after(fault.delayMs, resolve));
        return false;
      case 'drop':
        if (fault.when === 'after') this.#perform(this.#user() ?? anonymous);
        this.#exchange.request.socket.destroy();
        return true;
      case 'answer': {
        const { code, retryAfterSeconds } = fault;
        const reason = code === 429 ? 'TooManyRequests' : code === 503 ? 'ServiceUnavailable' : 'InternalError';
        const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
        sendStatus(
          this.#exchange,
          new Refusal({ code, reason, message: `injected: the server answers ${code}`, ...details }).status,
        );
        return true;
      }
      default:
        return fault satisfies never;
    }
  }

  #user(): ApiUser | undefined {
    return userOfRequest(this.#core, this.#options.tokens, this.#exchange.request);
  }

  async #respond(): Promise<void> {
    const { path } = splitTarget(this.#exchange.url);
    const asking = this.#user();
    if (!asking || (asking === anonymous && !OPEN_PATHS.test(path))) {
      return sendStatus(
        this.#exchange,
        new Refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }).status,
      );
    }
    const user = asking === anonymous ? asking : allowedUser(this.#core.store, asking, this.#exchange.request);
    if (user instanceof Refusal) return sendStatus(this.#exchange, user.status);
    const plain = plainAnswer(path);
    if (plain !== undefined) return this.#exchange.answer(200, 'text/plain; charset=utf-8', plain);
    const everything = discoverAtOnce(path, this.#exchange.headers.accept);
    if (everything) {
      return this.#exchange.answer(200, everything.contentType, `${JSON.stringify(everything.body)}\n`);
    }
    const document = path === '/version' ? serverVersion : discover(path);
    if (document) return this.#send({ code: 200, text: `${JSON.stringify(document)}\n` });
    const api = openApiDocument(path, this.#exchange.headers.accept);
    if (api) return this.#exchange.answer(200, api.contentType, api.body);
    const named = parseResourcePath(this.#exchange.url);
    if (path === '/' || !/^\/apis?\//.test(path)) {
      const text = `${JSON.stringify({ paths: servedPaths })}\n`;
      return this.#send({ code: path === '/' ? 200 : 404, text });
    }
    if (
      named === undefined ||
      !servedVersions.includes(named.group === '' ? named.version : `${named.group}/${named.version}`)
    ) {
      return this.#exchange.answer(404, 'text/plain; charset=utf-8', '404 page not found\n');
    }
    if (named && this.#options.nodeCalls && nodeSubresources.has(`${named.resource}/${named.subresource}`)) {
      return this.#options.nodeCalls.request(this.#exchange);
    }
    if (named?.group === METRICS_GROUP && this.#options.metrics && this.#exchange.method === 'GET') {
      const { code, body } = await answerMetrics(this.#options.metrics, named);
      return this.#send({ code, text: `${JSON.stringify(body)}\n` });
    }
    return this.#call(user);
  }

  /** Passes the request to the core. An unreadable body is answered too. */
  #perform(user: ApiUser) {
    const { method, url, headers, body } = this.#exchange;
    const read = readBody(body, headers['content-type']);
    if (read instanceof Refusal) return { type: 'failure', status: read.status } as const;
    return this.#core.handle({
      // The core refuses methods that it does not know.
      method: method as ApiMethod,
      path: url,
      user,
      body: read,
      contentType: headers['content-type'] ?? '',
      userAgent: headers['user-agent'] ?? '',
    });
  }

  async #call(user: ApiUser): Promise<void> {
    const accepted = acceptedForm(this.#exchange.headers.accept);
    if (!accepted) {
      const message =
        'only the following media types are accepted: application/json, application/vnd.kubernetes.protobuf';
      return sendStatus(
        this.#exchange,
        new Refusal({ code: 406, reason: 'NotAcceptable', message, details: {} }).status,
      );
    }
    const answer = this.#perform(user);
    const include = new URL(this.#exchange.url, 'https://localhost').searchParams.get('includeObject');
    const table = {
      now: this.#core.options.clock.now(),
      include: include === 'None' || include === 'Object' ? include : 'Metadata',
    } as const;
    const form: Form = { ...accepted, table };
    if (answer.type === 'watch') {
      return streamWatch(this.#exchange.response, answer, { form, clock: this.#core.options.clock });
    }
    if (answer.type === 'failure') return sendStatus(this.#exchange, answer.status, form.encoding);
    if (answer.type === 'object') {
      for (const warning of answer.warnings) this.#exchange.header('warning', `299 - ${JSON.stringify(warning)}`);
    }
    const code = answer.type === 'object' ? answer.code : 200;
    const { encoding, body } = encodeAnswer(answer, form);
    return this.#send({ code, text: body, type: encoding === 'protobuf' ? PROTOBUF : JSON_TYPE });
  }

  async #send({
    code,
    text,
    type = JSON_TYPE,
  }: {
    readonly code: number;
    readonly text: string | Buffer;
    readonly type?: string;
  }): Promise<void> {
    const { headers } = this.#exchange;
    const isZipped = text.length >= GZIP_FROM_BYTES && /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    if (!isZipped) return this.#exchange.answer(code, type, text);
    const zipped = await compress(text, { level: 1 });
    this.#exchange.header('content-encoding', 'gzip');
    this.#exchange.answer(code, type, zipped);
  }
}

/** Health endpoints for operators of the server. */
function plainAnswer(path: string): string | undefined {
  return /^\/(healthz|readyz|livez)(\/|$)/.test(path) ? 'ok' : undefined;
}
