import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ServerContext } from './access/judge-request.ts';
import type { NodeServerSettings, NodeServerTools, TlsSettings } from './node-server-settings.ts';
import { mayUpgrade } from './streams/may-upgrade.ts';
import { serveRequest } from './serve-request.ts';
import { refuseMalformed, refuseStream, serveStream } from './streams/serve-stream.ts';
import type { ServerCertificate } from './server-certificate.ts';
import { sparingly } from './sparing-warnings.ts';
import { halfOpen } from './streams/half-open.ts';
import { UnidentifiedConnections } from './access/unidentified-connections.ts';

/** The parts of the server that are read from files while it runs. */
export interface TlsFiles {
  /** `undefined` when the present certificate is not from a file. */
  readonly certificate: ServerCertificate | undefined;
  /** PEM of the authorities that may sign client certificates. */
  readonly clientCa: string | undefined;
}

export interface NodeServer {
  readonly port: number;
  /**
   * Returns `true` if the files differ from what the server uses, and uses them for new connections. When the trusted
   * authorities change, idle connections are closed.
   */
  setTls(files: TlsFiles): boolean;
  /** Ends every connection. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** A client that sends its headers this slowly holds a connection and nothing else. */
const HEADERS_WITHIN_MS = 30_000;
const IDLE_CONNECTION_MS = 90_000;
const REQUEST_WITHIN_MS = 4 * 3_600_000;
/** A silent client of a stream is asked for a sign of life after this long. */
const KEEP_ALIVE_AFTER_MS = 15_000;
/** Streams at once; each holds two connections. */
const MOST_STREAMS = 2_000;
/** For servers that identify clients, and for servers that never do. */
const MOST_UNIDENTIFIED = { guarded: 1_000, open: 256 } as const;
/** Requests of one connection that are answered at once. Clients wait for an answer before the next request. */
const MOST_REQUESTS_OF_ONE = 8;

/** The kubelet's server. Rejects when it cannot listen. */
export async function openNodeServer(settings: NodeServerSettings, given: NodeServerTools): Promise<NodeServer> {
  const tools = { ...given, warn: sparingly(given.warn, given.clock) };
  const { tls, mostStreams = MOST_STREAMS } = settings;
  const isGuarded = tools.authenticator !== undefined;
  const { mostUnidentified = isGuarded ? MOST_UNIDENTIFIED.guarded : MOST_UNIDENTIFIED.open } = settings;
  const unidentified = new UnidentifiedConnections(mostUnidentified);
  const situation: ServerContext = { settings, tools, unidentified };
  const server = makeServer(settings);
  const trust = tls === undefined ? undefined : new Trust(server, tls);
  const underWay = new WeakMap<Duplex, number>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (trust?.has(socket) === false) return void socket.destroy();
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > MOST_REQUESTS_OF_ONE) return void socket.destroy();
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    void serveRequest(request, response, situation);
  };
  server.on('request', answer);
  const streams = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (trust?.has(socket) === false) return void socket.destroy();
    socket.on('error', () => socket.destroy());
    // Node.js before 24.9 has no hook to decide about an upgrade, so the answer is written without its help.
    if (!mayUpgrade(request, settings.switches)) return answerOn(socket, request, answer);
    // A client that has sent everything may still wait for the rest. For streams only: elsewhere a half-closed
    // client counts as disconnected.
    Object.assign(socket, halfOpen);
    // A client that vanishes without a word would hold its stream until it counts as idle.
    request.socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
    streams.add(socket);
    socket.once('close', () => streams.delete(socket));
    if (streams.size > mostStreams) return refuseStream(socket, 429, 'too many streams are open');
    void serveStream({ request, socket, head }, situation);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuseStream(socket, 405, '405: Method Not Allowed\n');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuseMalformed(socket, error, (underWay.get(socket) ?? 0) > 0);
  });
  /** Includes connections without a request so far. */
  const connections = new Set<Duplex>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    const closed = unidentified.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      closed();
    });
  });
  await listening(server, settings);
  server.on('error', (error) =>
    tools.warn({ error: String(error) }, 'the kubelet server could not accept a connection; still listening'),
  );
  return {
    // The server listens on an address, not on a path.
    port: (server.address() as AddressInfo).port,
    setTls: (files) => trust?.set(files) ?? false,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of [...streams, ...connections]) socket.destroy();
      await closed;
    },
  };
}

function makeServer(settings: NodeServerSettings): Server | SecureServer {
  const { tls, switches, headersWithinMs = HEADERS_WITHIN_MS } = settings;
  const options = {
    maxHeaderSize: MIB,
    headersTimeout: headersWithinMs,
    handshakeTimeout: headersWithinMs,
    connectionsCheckingInterval: headersWithinMs / 3,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(request, switches),
  };
  return tls === undefined ? createServer(options) : createSecureServer({ ...options, ...tlsOptions(tls) });
}

const listening = (server: Server, { address, port }: NodeServerSettings): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Answers a request over a connection that the HTTP server has released, and closes the connection. */
function answerOn(
  socket: Duplex,
  request: IncomingMessage,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const response = new ServerResponse(request);
  // The connections of these servers are sockets, with and without TLS.
  response.assignSocket(socket as Socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.end(() => socket.destroy()));
  answer(request, response);
}

/** Remembers which connections were made since the trusted authorities last changed. */
class Trust {
  readonly #server: Server | SecureServer;
  #tls: TlsSettings;
  #connections = new WeakSet<Duplex>();

  constructor(server: Server | SecureServer, tls: TlsSettings) {
    this.#server = server;
    this.#tls = tls;
    server.on('secureConnection', (socket: TLSSocket) => this.#connections.add(socket));
  }

  /** `false` makes the client open a new connection. */
  has(socket: Duplex): boolean {
    return this.#connections.has(socket);
  }

  set({ certificate = this.#tls.certificate, clientCa }: TlsFiles): boolean {
    if (!('setSecureContext' in this.#server)) return false;
    const { cert, key } = this.#tls.certificate;
    const isOtherTrust = clientCa !== this.#tls.clientCa;
    if (!isOtherTrust && certificate.cert === cert && certificate.key === key) return false;
    const next = { ...this.#tls, certificate, clientCa };
    // Throws for a certificate that cannot be used. The one in use stays, and the next check tries again.
    this.#server.setSecureContext(tlsOptions(next));
    this.#tls = next;
    if (!isOtherTrust) return true;
    // Certificates are checked at connect time only: earlier connections are no longer trusted.
    this.#connections = new WeakSet();
    this.#server.closeIdleConnections();
    return true;
  }
}

const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

const tlsOptions = ({ certificate, clientCa, minVersion, ciphers }: TlsSettings) => ({
  ...certificate,
  minVersion,
  // Cipher suites are a choice up to TLS 1.2 only. Those of TLS 1.3 are all good and always on, as on the kubelet.
  ...(ciphers.length > 0 && { ciphers: [...TLS13_SUITES, ...ciphers].join(':') }),
  // A client with a wrong certificate gets an HTTP error, as from the kubelet, and is not cut off.
  ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
});
