import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, SecureVersion, TLSSocket } from 'node:tls';
import { answerRequest, type AnswerTools } from './answer-request.ts';
import type { Authenticator } from './authenticator.ts';
import type { Authorizer } from './authorizer.ts';
import type { EndpointName, ServerSwitches } from './endpoints.ts';
import { judge, type Situation } from './judge-request.ts';
import { openStream } from './open-stream.ts';
import { errorReply, sendPieces, type Reply } from './reply.ts';
import { UnreadableLog } from './read-container-log.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ServerCertificate } from './server-certificate.ts';
import { halfOpen, proxyStream } from './stream-proxy.ts';
import { refuseUpgradeWith } from './upgrade-head.ts';

export interface NodeServerSettings {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: {
    readonly certificate: ServerCertificate;
    /** PEM of those who may sign client certificates. */
    readonly clientCa: string | undefined;
    readonly minVersion: SecureVersion;
    /** OpenSSL names; empty: the default set. */
    readonly ciphers: readonly string[];
  };
  readonly switches: ServerSwitches;
  /** How long a stream may be silent, milliseconds. */
  readonly streamIdleMs: number;
  /** How long a client may take to greet and to send its headers, milliseconds. Absent: half a minute. */
  readonly headersWithinMs?: number;
  /** How many streams may be open at once. Absent: 2,000. */
  readonly mostStreams?: number;
}

export interface NodeServerTools extends AnswerTools {
  /** Absent, with the next: whoever reaches the port may ask. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  /** Absent: everything that the switches leave. */
  readonly only?: ReadonlySet<EndpointName>;
  /** Undefined: nobody counts. */
  readonly metrics?: ServerMetrics;
  /** What somebody should know who looks after this node. */
  readonly warn: (facts: object, text: string) => void;
}

/** What is read from files while the server runs. */
export interface TlsFiles {
  /** Undefined: the one in use is not from a file. */
  readonly certificate: ServerCertificate | undefined;
  /** PEM of those who may sign client certificates. */
  readonly clientCa: string | undefined;
}

export interface NodeServer {
  readonly port: number;
  /** From the next connection on; when other clients are to be trusted, connections that are not in use are ended. */
  setTls(files: TlsFiles): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** Clients that send their headers this slowly hold a connection and nothing else. */
const HEADERS_WITHIN_MS = 30_000;
const IDLE_CONNECTION_MS = 90_000;
const REQUEST_WITHIN_MS = 4 * 3_600_000;
/** Streams at once; each holds two connections. */
const MOST_STREAMS = 2_000;

/** The kubelet's server. Rejects when it cannot listen. */
export async function openNodeServer(settings: NodeServerSettings, tools: NodeServerTools): Promise<NodeServer> {
  let { tls } = settings;
  const { headersWithinMs = HEADERS_WITHIN_MS, mostStreams = MOST_STREAMS } = settings;
  const http = {
    maxHeaderSize: MIB,
    headersTimeout: headersWithinMs,
    handshakeTimeout: headersWithinMs,
    connectionsCheckingInterval: headersWithinMs / 3,
  };
  const app = fastify({
    ...(tls === undefined ? { http } : { https: { ...http, ...tlsOptions(tls) } }),
    keepAliveTimeout: IDLE_CONNECTION_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  const { server } = app;
  // The bodies of requests say nothing here.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  /** Connections that were made since those who are trusted last changed. */
  let trusted = new WeakSet<Duplex>();
  if (tls !== undefined) server.on('secureConnection', (socket: TLSSocket) => trusted.add(socket));
  app.all('*', async (request, reply) => {
    if (tls !== undefined && !trusted.has(request.raw.socket)) {
      reply.hijack();
      // Its client asks again on a connection of its own.
      return void request.raw.socket.destroy();
    }
    return answerHttp(request, reply, { settings, tools });
  });
  const streams = new Set<Duplex>();
  /** Also those that have not come as far as a request yet. */
  const connections = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (tls !== undefined && !trusted.has(socket)) {
      socket.destroy();
      return;
    }
    socket.on('error', () => socket.destroy());
    // Whoever has sent all may still be waiting for the rest. For streams only: elsewhere a client that leaves is gone.
    Object.assign(socket, halfOpen);
    streams.add(socket);
    socket.once('close', () => streams.delete(socket));
    const busy = streams.size > mostStreams;
    const upgrade = busy
      ? Promise.resolve(refuseUpgrade(socket, 429, 'too many streams are open'))
      : answerUpgrade({ request, socket, head }, { settings, tools });
    upgrade.catch((error: unknown) => {
      tools.warn({ error: String(error) }, 'a stream could not be opened');
      refuseUpgrade(socket, 500, 'Internal Server Error');
    });
  });
  await app.listen({ host: settings.address, port: settings.port });
  return {
    port: (server.address() as AddressInfo).port,
    setTls({ certificate, clientCa }) {
      if (tls === undefined || !('setSecureContext' in server)) return;
      const isOtherTrust = clientCa !== tls.clientCa;
      tls = { ...tls, ...(certificate !== undefined && { certificate }), clientCa };
      (server as unknown as { setSecureContext(options: SecureContextOptions): void }).setSecureContext(
        tlsOptions(tls),
      );
      if (!isOtherTrust) return;
      // A client is known by what it showed when it connected: what was shown to others counts no longer.
      trusted = new WeakSet();
      server.closeIdleConnections();
    },
    async close() {
      const closed = app.close();
      for (const socket of [...streams, ...connections]) socket.destroy();
      await closed;
    },
  };
}

const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

const tlsOptions = ({ certificate, clientCa, minVersion, ciphers }: NonNullable<NodeServerSettings['tls']>) => ({
  ...certificate,
  minVersion,
  // Which suites there are is a choice up to TLS 1.2 alone; those of 1.3 are all good, and are there as with the kubelet.
  ...(ciphers.length > 0 && { ciphers: [...TLS13_SUITES, ...ciphers].join(':') }),
  // Who shows a wrong certificate is told so in HTTP, as the kubelet does, and not cut off.
  ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
});

/** Counts a request from now on, until what carries its answer is closed. */
function count(request: IncomingMessage, carrier: EventEmitter, { tools }: Situation): void {
  const { metrics, authenticator, clock } = tools;
  if (metrics === undefined) return;
  const { method = 'GET', url = '/' } = request;
  const server = authenticator === undefined ? 'readonly' : 'readwrite';
  const began = clock.monotonic();
  const answered = metrics.request({ method, path: url.split('?', 1)[0] ?? '/', server });
  carrier.once('close', () => answered((clock.monotonic() - began) / 1000));
}

async function answerHttp(request: FastifyRequest, reply: FastifyReply, situation: Situation): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  count(request.raw, reply.raw, situation);
  const verdict = await judge(request.raw, gone.signal, situation);
  let answer = verdict.type === 'refused' ? verdict.reply : undefined;
  if (verdict.type === 'allowed') {
    const needsStream = ['exec', 'attach', 'port-forward'].includes(verdict.request.endpoint);
    answer = needsStream
      ? errorReply(400, 'Upgrade request required')
      : await answerRequest(verdict.request, situation.tools).catch((error: unknown) => failure(error, situation));
  }
  if (answer === undefined) return;
  reply.hijack();
  await send(reply, answer, situation);
}

async function send({ raw }: FastifyReply, answer: Reply, { tools }: Situation): Promise<void> {
  if (answer.type === 'text') {
    raw.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': Buffer.byteLength(answer.text),
      'x-content-type-options': 'nosniff',
      ...answer.headers,
    });
    raw.end(answer.text);
    return;
  }
  raw.writeHead(200, {
    ...(answer.contentType !== undefined && { 'content-type': answer.contentType }),
    ...answer.headers,
  });
  try {
    await sendPieces(raw, answer.pieces);
  } catch (error) {
    // The answer has begun: all that can be said is that it is not whole.
    if (!(error instanceof UnreadableLog)) tools.warn({ error: String(error) }, 'an answer broke off');
    raw.destroy();
  }
}

function failure(error: unknown, { tools }: Situation): Reply {
  tools.warn({ error: String(error) }, 'a request could not be answered');
  return errorReply(500, 'Internal Server Error');
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function answerUpgrade({ request, socket, head }: Upgrade, situation: Situation): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  count(request, socket, situation);
  const verdict = await judge(request, gone.signal, situation);
  if (verdict.type === 'refused') {
    const { reply } = verdict;
    return refuseUpgrade(socket, reply.type === 'text' ? reply.status : 500, reply.type === 'text' ? reply.text : '');
  }
  if (request.headers.upgrade?.toLowerCase() === 'websocket')
    situation.tools.metrics?.webSocket(verdict.request.endpoint);
  const opened = await openStream(verdict.request, situation.tools.node);
  if (!opened.ok) return refuseUpgrade(socket, opened.status, `${opened.problem}\n`);
  const { failed } = await proxyStream(request, socket, {
    url: opened.url,
    idleMs: situation.settings.streamIdleMs,
    clock: situation.tools.clock,
    head,
  });
  if (failed !== undefined) refuseUpgrade(socket, 502, `the runtime's stream cannot be reached: ${failed}\n`);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
};

function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  refuseUpgradeWith(socket, {
    status,
    reason: reasons[status] ?? 'Internal Server Error',
    contentType: 'text/plain; charset=utf-8',
    text,
    headers: status === 429 ? ['Retry-After: 1'] : [],
  });
}
