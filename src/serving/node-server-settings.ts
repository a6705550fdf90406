import type { SecureVersion } from 'node:tls';
import type { ConnectionPeers } from '../host/tcp-peers.ts';
import type { Authenticator } from './access/authenticator.ts';
import type { Authorizer } from './access/authorizer.ts';
import type { AnswerTools } from './answer-request.ts';
import type { EndpointName, ServerSwitches } from './endpoints.ts';
import type { ServerCertificate } from './server-certificate.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface TlsSettings {
  readonly certificate: ServerCertificate;
  /** PEM of the authorities that may sign client certificates. */
  readonly clientCa: string | undefined;
  readonly minVersion: SecureVersion;
  /** OpenSSL names. The default set when empty. */
  readonly ciphers: readonly string[];
}

export interface NodeServerSettings {
  readonly address: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Plain HTTP when absent. */
  readonly tls?: TlsSettings;
  readonly switches: ServerSwitches;
  /** How long a stream may be silent, milliseconds. */
  readonly streamIdleMs: number;
  /** How long a TLS handshake and the request headers may take, milliseconds. Half a minute when absent. */
  readonly headersWithinMs?: number;
  /** How many streams may be open at once. 2,000 when absent. */
  readonly mostStreams?: number;
  /** How many connections of unidentified clients may be open. When absent, 1,000, or 256 without authentication. */
  readonly mostUnidentified?: number;
}

export interface NodeServerTools extends AnswerTools {
  /** Without `authenticator` and `authorizer`, every client that reaches the port is served. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  /** All endpoints that the switches allow when absent. */
  readonly only?: ReadonlySet<EndpointName>;
  /** Says which clients of streams, and which streams of the runtime, have gone. */
  readonly peers: ConnectionPeers;
  /** `undefined` when nothing is counted. */
  readonly metrics?: ServerMetrics;
  /** Logs a warning for the operators of this node. */
  readonly warn: (facts: object, text: string) => void;
}
