import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { allowedUser } from './access/refusal-of-access.ts';
import { acceptedForm } from './accepted-form.ts';
import { discoverAtOnce } from './aggregated-discovery.ts';
import type { ApiCore, ApiMethod } from './api-core.ts';
import type { ApiUser } from './api-kind.ts';
import { anonymous, type StaticTokens, userOfRequest } from './authenticate.ts';
import type { KeyPair } from './certificate-authority.ts';
import type { FaultSource, InjectedFault } from './fault-injection.ts';
import { answerMetrics, METRICS_GROUP, type MetricsApi } from './metrics-api.ts';
import { encodeAnswer, type Form } from './negotiate.ts';
import { openApiDocument } from './openapi/document.ts';
import { discover, servedPaths, servedVersions } from './discovery.ts';
import { readBody } from './read-body.ts';
import { Refusal } from './refusal.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { parseResourcePath } from './request-path.ts';
import { sendStatus } from './send-status.ts';
import { serverVersion } from './server-version.ts';
import { nodeSubresources } from './subresources.ts';
import { streamWatch } from './stream-watch.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly certificate: KeyPair;
  /** Who shows a certificate of this authority is who it says. */
  readonly clientAuthority: string;
  readonly tokens: StaticTokens;
  readonly faults?: FaultSource;
  /** Answers what only a node can: logs, exec, attach, port-forward. Without it they are refused. */
  readonly nodeCalls?: NodeCalls;
  /** Answers what `kubectl top` asks. Without it there are no metrics. */
  readonly metrics?: MetricsApi;
}

/** The way to the servers of nodes. Each answers by itself, whatever happens. */
export interface NodeCalls {
  request(request: IncomingMessage, reply: FastifyReply, user: ApiUser): void;
  upgrade(asked: AskedUpgrade): void;
}

/** A connection that is to become a stream. Who asks is known. */
export interface AskedUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface HttpServer {
  readonly address: string;
  readonly port: number;
  /** Cuts every connection that is open, as a server does that dies. The server goes on. */
  dropConnections(): void;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Smaller answers are not worth the trouble. */
const GZIP_FROM_BYTES = 128 * 1024;
/** What may be asked by anybody. */
const OPEN_PATHS = /^\/(healthz|readyz|livez|version)(\/|$)/;

const compress = promisify(gzip);

/** The API on a loopback address, over TLS. */
export async function serveHttp(core: ApiCore, options: HttpOptions): Promise<HttpServer> {
  const { certificate, clientAuthority } = options;
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    https: {
      key: certificate.key,
      cert: certificate.certificate,
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler(async (error: { statusCode?: number; message: string }, _request, reply) => {
    const tooLarge = error.statusCode === 413;
    const refused = tooLarge
      ? new Refusal({ code: 413, reason: 'RequestEntityTooLarge', message: 'limit is 3145728' })
      : new Refusal({ code: error.statusCode ?? 500, reason: 'InternalError', message: error.message });
    await sendStatus(reply, refused.status);
  });
  app.all('/*', async (request, reply) => {
    const respond = new Responder(core, options, { request, reply });
    await respond.run();
    return reply;
  });
  const upgraded = new Set<Duplex>();
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
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
  app.server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    // A peer that resets its connection is its own affair.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  return {
    address: `https://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      // The HTTP server has let go of these, and yet waits for them.
      for (const socket of upgraded) socket.destroy();
      return app.close();
    },
  };
}

class Responder {
  readonly #core: ApiCore;
  readonly #options: HttpOptions;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(
    core: ApiCore,
    options: HttpOptions,
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  ) {
    this.#core = core;
    this.#options = options;
    this.#request = request;
    this.#reply = reply;
  }

  async run(): Promise<void> {
    const { method, url, headers } = this.#request;
    const fault = this.#options.faults?.({
      method,
      path: url,
      isWatch: /[?&]watch=(1|true)\b/.test(url),
      userAgent: headers['user-agent'] ?? '',
    });
    if (fault && (await this.#fail(fault))) return;
    await this.#respond();
    if (fault?.type === 'drop') this.#request.raw.socket.destroy();
  }

  /** Whether the fault stands in place of an answer. */
  async #fail(fault: InjectedFault): Promise<boolean> {
    switch (fault.type) {
      case 'slow':
        await new Promise<void>((resolve) => this.#core.options.clock.after(fault.delayMs, resolve));
        return false;
      case 'drop':
        if (fault.when === 'after') {
          this.#reply.hijack();
          this.#perform(this.#user() ?? anonymous);
        }
        this.#reply.hijack();
        this.#request.raw.socket.destroy();
        return true;
      case 'answer': {
        const { code, retryAfterSeconds } = fault;
        const reason = code === 429 ? 'TooManyRequests' : code === 503 ? 'ServiceUnavailable' : 'InternalError';
        const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
        await sendStatus(
          this.#reply,
          new Refusal({ code, reason, message: `injected: the server answers ${code}`, ...details }).status,
        );
        return true;
      }
      default:
        return fault satisfies never;
    }
  }

  #user(): ApiUser | undefined {
    return userOfRequest(this.#core, this.#options.tokens, this.#request.raw);
  }

  async #respond(): Promise<void> {
    const [path = ''] = this.#request.url.split('?');
    const asking = this.#user();
    if (!asking || (asking === anonymous && !OPEN_PATHS.test(path))) {
      return sendStatus(
        this.#reply,
        new Refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }).status,
      );
    }
    const user = asking === anonymous ? asking : allowedUser(this.#core.store, asking, this.#request.raw);
    if (user instanceof Refusal) return sendStatus(this.#reply, user.status);
    const plain = plainAnswer(path);
    if (plain !== undefined) return void (await this.#reply.type('text/plain').send(plain));
    const everything = discoverAtOnce(path, this.#request.headers.accept);
    if (everything) {
      return void (await this.#reply.type(everything.contentType).send(`${JSON.stringify(everything.body)}\n`));
    }
    const document = path === '/version' ? serverVersion : discover(path);
    if (document) return this.#send({ code: 200, text: `${JSON.stringify(document)}\n` });
    const api = openApiDocument(path, this.#request.headers.accept);
    if (api) {
      this.#reply.type(api.contentType);
      return void (await this.#reply.send(api.body));
    }
    const named = parseResourcePath(this.#request.url);
    if (path === '/' || !/^\/apis?\//.test(path)) {
      const text = `${JSON.stringify({ paths: servedPaths })}\n`;
      return this.#send({ code: path === '/' ? 200 : 404, text });
    }
    if (
      named === undefined ||
      !servedVersions.includes(named.group === '' ? named.version : `${named.group}/${named.version}`)
    ) {
      return void (await this.#reply.code(404).type('text/plain').send('404 page not found\n'));
    }
    if (named && this.#options.nodeCalls && nodeSubresources.has(`${named.resource}/${named.subresource}`)) {
      this.#reply.hijack();
      return this.#options.nodeCalls.request(this.#request.raw, this.#reply, user);
    }
    if (named?.group === METRICS_GROUP && this.#options.metrics && this.#request.method === 'GET') {
      const { code, body } = await answerMetrics(this.#options.metrics, named);
      return this.#send({ code, text: `${JSON.stringify(body)}\n` });
    }
    return this.#call(user);
  }

  /** What the core says to the request. A body that cannot be read is an answer too. */
  #perform(user: ApiUser) {
    const { method, url, headers, body } = this.#request;
    const read = readBody(Buffer.isBuffer(body) ? body : Buffer.alloc(0), headers['content-type']);
    if (read instanceof Refusal) return { type: 'failure', status: read.status } as const;
    return this.#core.handle({
      method: method as ApiMethod,
      path: url,
      user,
      body: read,
      contentType: headers['content-type'] ?? '',
      userAgent: headers['user-agent'] ?? '',
    });
  }

  async #call(user: ApiUser): Promise<void> {
    const accepted = acceptedForm(this.#request.headers.accept);
    if (!accepted) {
      const message = 'only the following media types are accepted: application/json';
      return sendStatus(this.#reply, new Refusal({ code: 406, reason: 'NotAcceptable', message, details: {} }).status);
    }
    const answer = this.#perform(user);
    const include = new URL(this.#request.url, 'https://localhost').searchParams.get('includeObject');
    const table = {
      now: this.#core.options.clock.now(),
      include: include === 'None' || include === 'Object' ? include : 'Metadata',
    } as const;
    const form: Form = { ...accepted, table };
    if (answer.type === 'watch') {
      this.#reply.hijack();
      return streamWatch(this.#reply.raw, answer, { form, clock: this.#core.options.clock });
    }
    if (answer.type === 'failure') return sendStatus(this.#reply, answer.status);
    if (answer.type === 'object') {
      for (const warning of answer.warnings) this.#reply.header('warning', `299 - ${JSON.stringify(warning)}`);
    }
    return this.#send({ code: answer.type === 'object' ? answer.code : 200, text: encodeAnswer(answer, form) });
  }

  async #send({ code, text }: { readonly code: number; readonly text: string }): Promise<void> {
    this.#reply.code(code).type('application/json');
    const isZipped = text.length >= GZIP_FROM_BYTES && /\bgzip\b/.test(this.#request.headers['accept-encoding'] ?? '');
    if (!isZipped) return void (await this.#reply.send(text));
    await this.#reply.header('content-encoding', 'gzip').send(await compress(text, { level: 1 }));
  }
}

/** What those who look after the server ask. */
function plainAnswer(path: string): string | undefined {
  return /^\/(healthz|readyz|livez)(\/|$)/.test(path) ? 'ok' : undefined;
}
