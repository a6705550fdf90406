import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { Identity } from '../kubeconfig/kubeconfig-identity.ts';
import { newPool, newProxyAgent } from './undici-parts.ts';

/** Connections to one API server under one identity. */
export interface Connections {
  readonly identity: Identity;
  readonly origin: string;
  /** The path of the server's address, which precedes every request path. */
  readonly prefix: string;
  /** Shared and kept alive; one request at a time on each. */
  readonly calls: Dispatcher;
  /** One connection for each watch: a slow watch never delays a call. */
  readonly watches: Dispatcher;
  /** Calls in flight may finish; watches end at once. */
  retire(why: string): void;
}

/** More than the gateway ever has in flight. Connections are opened on demand. */
const MOST_CONNECTIONS = 64;
const CONNECT_TIMEOUT_MS = 10_000;
/** An idle connection is closed after this time; servers keep theirs a little longer. */
const KEEP_ALIVE_MS = 60_000;
/** TCP keep-alive of the kernel finds a peer that vanished silently. */
const PROBE_AFTER_MS = 15_000;

export function openConnections(identity: Identity): Connections {
  const { server, proxyUrl, tls } = identity;
  const { origin, pathname } = new URL(server);
  const secureContext = createSecureContext({
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.certificate !== undefined && { cert: tls.certificate }),
    ...(tls.key !== undefined && { key: tls.key }),
  });
  const connect = {
    // Made once: reading the certificates for each connection would be most of a connection's cost.
    secureContext,
    rejectUnauthorized: !tls.insecureSkipVerify,
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
    timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  };
  const options = { allowH2: false, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS } as const;
  const make = (connections: number | null): Dispatcher =>
    proxyUrl === undefined
      ? newPool(origin, { ...options, connections, connect })
      : newProxyAgent({ ...options, uri: proxyUrl, connections, requestTls: connect });
  const calls = make(MOST_CONNECTIONS);
  const watches = make(null);
  return {
    identity,
    origin,
    prefix: pathname === '/' ? '' : pathname.replace(/\/$/, ''),
    calls,
    watches,
    retire(why) {
      void calls.close().catch(() => {});
      void watches.destroy(new Error(why)).catch(() => {});
    },
  };
}
