import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { answerRequest, type AllowedRequest, type AnswerTools } from './answer-request.ts';
import { accessAttributes, forbiddenText } from './authorization-attributes.ts';
import type { Authenticator } from './authenticator.ts';
import type { Authorizer } from './authorizer.ts';
import { findEndpoint, type EndpointName, type ServerSwitches } from './endpoints.ts';
import { bearerTokenOf, type Credentials } from './identity.ts';
import { openStream } from './open-stream.ts';
import { errorReply, sendPieces, type Reply } from './reply.ts';
import { UnreadableLog } from './read-container-log.ts';
import type { ServerCertificate } from './server-certificate.ts';
import { proxyStream } from './stream-proxy.ts';
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
}

export interface NodeServerTools extends AnswerTools {
  /** Absent, with the next: whoever reaches the port may ask. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  /** Absent: everything that the switches leave. */
  readonly only?: ReadonlySet<EndpointName>;
  /** What somebody should know who looks after this node. */
  readonly warn: (facts: object, text: string) => void;
}

export interface NodeServer {
  readonly port: number;
  /** From the next connection on. */
  setCertificate(certificate: ServerCertificate): void;
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

type Verdict =
  { readonly type: 'allowed'; readonly request: AllowedRequest } | { readonly type: 'refused'; readonly reply: Reply };

/** The kubelet's server. Rejects when it cannot listen. */
export async function openNodeServer(settings: NodeServerSettings, tools: NodeServerTools): Promise<NodeServer> {
  const { tls } = settings;
  const app = fastify({
    ...(tls !== undefined && { https: tlsOptions(tls) }),
    http: { maxHeaderSize: MIB, headersTimeout: HEADERS_WITHIN_MS },
    keepAliveTimeout: IDLE_CONNECTION_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  const { server } = app;
  // The bodies of requests say nothing here.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.all('*', async (request, reply) => answerHttp(request, reply, { settings, tools }));
  const streams = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    streams.add(socket);
    socket.once('close', () => streams.delete(socket));
    const busy = streams.size > MOST_STREAMS;
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
    setCertificate(certificate) {
      if (tls !== undefined && 'setSecureContext' in server) {
        (server as unknown as { setSecureContext(options: SecureContextOptions): void }).setSecureContext(
          tlsOptions({ ...tls, certificate }),
        );
      }
    },
    async close() {
      for (const socket of streams) socket.destroy();
      await app.close();
    },
  };
}

const tlsOptions = ({ certificate, clientCa, minVersion, ciphers }: NonNullable<NodeServerSettings['tls']>) => ({
  ...certificate,
  // Whoever has sent all may still be waiting for the rest of the answer.
  allowHalfOpen: true,
  minVersion,
  ...(ciphers.length > 0 && { ciphers: ciphers.join(':') }),
  // Who shows a wrong certificate is told so in HTTP, as the kubelet does, and not cut off.
  ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
});

interface Situation {
  readonly settings: NodeServerSettings;
  readonly tools: NodeServerTools;
}

async function answerHttp(request: FastifyRequest, reply: FastifyReply, situation: Situation): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
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
  const verdict = await judge(request, gone.signal, situation);
  if (verdict.type === 'refused') {
    const { reply } = verdict;
    return refuseUpgrade(socket, reply.type === 'text' ? reply.status : 500, reply.type === 'text' ? reply.text : '');
  }
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

/** Who asks, whether it may, and for what. In this order: who may not ask learns nothing of what there is. */
async function judge(raw: IncomingMessage, signal: AbortSignal, { settings, tools }: Situation): Promise<Verdict> {
  const { method = 'GET', url = '/' } = raw;
  const [path = '/', query = ''] = url.split('?', 2);
  const refuse = (reply: Reply): Verdict => ({ type: 'refused', reply });
  const { authenticator, authorizer } = tools;
  if (authenticator !== undefined && authorizer !== undefined) {
    const who = await authenticator.identify(credentialsOf(raw));
    if (who.type === 'failed') {
      tools.warn({ problem: who.problem }, 'nobody could be asked who a request comes from');
      return refuse(errorReply(401, 'Unauthorized'));
    }
    if (who.type === 'unauthenticated') return refuse(errorReply(401, 'Unauthorized'));
    const node = { name: tools.node.nodeName, fineGrained: settings.switches.fineGrainedAuthorization };
    const attributes = accessAttributes({ method, path: plainPath(path) }, node);
    const verdict = await authorizer.decide(who.identity, attributes);
    if (verdict.type === 'failed') {
      tools.warn({ problem: verdict.problem }, 'nobody could be asked what a request may do');
      return refuse(errorReply(500, 'Authorization error'));
    }
    if (verdict.type === 'denied') {
      return refuse({
        type: 'text',
        status: 403,
        contentType: 'text/plain; charset=utf-8',
        text: forbiddenText(who.identity.username, attributes),
      });
    }
  }
  const found = findEndpoint(method, path, settings.switches);
  if (tools.only !== undefined && found.type === 'endpoint' && !tools.only.has(found.name)) {
    return refuse(errorReply(404, '404 page not found'));
  }
  if (found.type === 'refused') return refuse(errorReply(found.status, found.text));
  return {
    type: 'allowed',
    request: {
      endpoint: found.name,
      method,
      path,
      headers: raw.headers,
      body: () => readBody(raw),
      parameters: found.parameters,
      query: new URLSearchParams(query),
      signal,
    },
  };
}

const LONGEST_BODY = 64 * 1024;

/** Rejects when there is more than anything here is asked with. */
async function readBody(raw: IncomingMessage): Promise<string> {
  let text = '';
  raw.setEncoding('utf8');
  for await (const piece of raw) {
    text += String(piece);
    if (text.length > LONGEST_BODY) throw new Error(`a request body is longer than ${LONGEST_BODY} characters`);
  }
  return text;
}

/** As the endpoints see it: rights are asked for by the same path that is then served. */
function plainPath(path: string): string {
  try {
    return `/${path
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decodeURIComponent(part))
      .join('/')}`;
  } catch {
    return path;
  }
}

function credentialsOf({ socket, headers }: IncomingMessage): Credentials {
  const bearerToken = bearerTokenOf(headers.authorization);
  if (!(socket instanceof TLSSocket)) return { certificate: 'none', bearerToken };
  const certificate = socket.getPeerCertificate();
  const subject = certificate.subject as typeof certificate.subject | undefined;
  if (subject === undefined) return { certificate: 'none', bearerToken };
  if (!socket.authorized) return { certificate: 'refused', bearerToken };
  const organizations = subject.O as string | readonly string[] | undefined;
  const all = typeof organizations === 'string' ? [organizations] : (organizations ?? []);
  const commonName = [subject.CN].flat()[0] ?? '';
  return { certificate: { commonName, organizations: all }, bearerToken };
}
