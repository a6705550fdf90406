import type { SecureVersion } from 'node:tls';
import type { Authenticator } from './access/authenticator.ts';
import type { Authorizer } from './access/authorizer.ts';
import type { AnswerTools } from './answer-request.ts';
import type { EndpointName, ServerSwitches } from './endpoints.ts';
import type { ServerCertificate } from './server-certificate.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface TlsSettings {
  readonly certificate: ServerCertificate;
  /** PEM of those who may sign client certificates. */
  readonly clientCa: string | undefined;
  readonly minVersion: SecureVersion;
  /** OpenSSL names; empty: the default set. */
  readonly ciphers: readonly string[];
}

export interface NodeServerSettings {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: TlsSettings;
  readonly switches: ServerSwitches;
  /** How long a stream may be silent, milliseconds. */
  readonly streamIdleMs: number;
  /** How long a client may take to greet and to send its headers, milliseconds. Absent: half a minute. */
  readonly headersWithinMs?: number;
  /** How many streams may be open at once. Absent: 2,000. */
  readonly mostStreams?: number;
  /** How many connections may be open whose client has not said who it is. Absent: 1,000, or 256 where nobody is asked. */
  readonly mostUnidentified?: number;
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
