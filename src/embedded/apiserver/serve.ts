import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../actor/clock.ts';
import { type Random, systemRandom } from '../../actor/random.ts';
import { ApiCore } from './store/api-core.ts';
import { membersOf } from './store/api-object.ts';
import type { ApiObject } from './store/api-object.ts';
import type { ApiUser } from './store/api-kind.ts';
import type { ApiCoreOptions } from './store/core-contract.ts';
import { type CertificateAuthority, certificateAuthority, type KeyPair } from './subresources/certificate-authority.ts';
import type { FaultSource } from './http/fault-injection.ts';
import { type HttpServer, type NodeCalls, serveHttp } from './http/http-server.ts';
import { type AskSummary, metricsApi, summariesOfNodes } from './nodes/metrics-api.ts';
import { callNodes } from './nodes/node-calls.ts';
import { keepSnapshots, readAuthority, readSnapshot, restoreSnapshot, writeAuthority } from './store/snapshot.ts';
import { keyTokens } from './subresources/token-issuer.ts';

export interface EmbeddedApiServerOptions {
  /** A loopback address; `127.0.0.1` by default. */
  readonly host?: string;
  /** Any free port by default. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * The folder that keeps objects and the certificate authority between runs. Without it, all is lost when the
   * server ends.
   */
  readonly dataDir?: string;
  /** Called when a snapshot could not be written; the server retries. */
  readonly snapshotFailed?: (error: unknown) => void;
  readonly faults?: FaultSource;
  /** By default nodes are called at the address in their status. */
  readonly nodeCalls?: NodeCalls;
  /** Usage of nodes and pods; by default nodes are asked. */
  readonly askSummary?: AskSummary;
  readonly core?: Partial<Omit<ApiCoreOptions, 'clock' | 'random' | 'tokens' | 'signCertificate' | 'rootCertificate'>>;
}

/** A running API server. */
export interface EmbeddedApiServer {
  readonly core: ApiCore;
  readonly http: HttpServer;
  readonly address: string;
  readonly authority: CertificateAuthority;
  /** A token that allows everything, as long as this server runs. */
  readonly adminToken: string;
  /** Issues a client certificate for an administrator or a node (`system:node:<name>` in `system:nodes`). */
  credentials(user: ApiUser): Promise<KeyPair>;
  close(): Promise<void>;
}

export const administrator: ApiUser = { username: 'hivelet-admin', groups: ['system:masters'] };

/** The API server's user towards nodes. */
const nodeClient = {
  commonName: 'kube-apiserver-kubelet-client',
  organizations: ['system:masters'],
  usage: 'client',
} as const;

/** Serves an API over TLS on a loopback address. Rejects if the address is not available. */
export async function serveEmbeddedApi(options: EmbeddedApiServerOptions = {}): Promise<EmbeddedApiServer> {
  const { host = '127.0.0.1', port = 0, clock = systemClock, random = systemRandom } = options;
  const { dataDir, snapshotFailed: failed = () => {} } = options;
  const stored = dataDir === undefined ? undefined : readSnapshot(dataDir);
  const authority = await certificateAuthority(clock, dataDir === undefined ? undefined : readAuthority(dataDir));
  if (dataDir !== undefined) writeAuthority(dataDir, authority);
  const adminToken = randomBytes(24).toString('base64url');
  const core = new ApiCore({
    makeUid: randomUUID,
    // Above all revisions of an earlier server: no client resumes a watch of another server's history.
    firstRevision: Math.max(clock.now() * REVISIONS_PER_MS, stored?.revision ?? 0),
    ...options.core,
    clock,
    random,
    tokens: keyTokens('https://kubernetes.default.svc', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    rootCertificate: authority.certificate,
    signCertificate: (request) => signRequest(authority, request),
  });
  if (stored) restoreSnapshot(core, stored);
  core.begin();
  const stopSnapshots = dataDir === undefined ? undefined : keepSnapshots(core, dataDir, { clock, failed });
  const certificate = await authority.issue({
    commonName: 'hivelet-apiserver',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    addresses: [...new Set(['127.0.0.1', '::1', host])],
    usage: 'server',
  });
  const forNodes = await authority.issue(nodeClient);
  const http = await serveHttp(core, {
    host,
    port,
    certificate,
    clientAuthority: authority.certificate,
    tokens: new Map([[adminToken, { ...administrator, groups: [...administrator.groups, 'system:authenticated'] }]]),
    ...(options.faults && { faults: options.faults }),
    nodeCalls: options.nodeCalls ?? callNodes(core, forNodes),
    metrics: metricsApi({ core, ask: options.askSummary ?? summariesOfNodes(core, forNodes) }),
  });
  return {
    core,
    http,
    address: http.address,
    authority,
    adminToken,
    credentials: ({ username, groups }) =>
      authority.issue({ commonName: username, organizations: groups, usage: 'client' }),
    async close() {
      await http.close();
      stopSnapshots?.();
    },
  };
}

/** Far more than possible writes, so revisions of a dead server are always behind. */
const REVISIONS_PER_MS = 100;
const YEAR_SECONDS = 365 * 24 * 3600;

async function signRequest(authority: CertificateAuthority, request: ApiObject): Promise<string> {
  const spec = membersOf(request, 'spec');
  const seconds = Number(spec['expirationSeconds'] ?? YEAR_SECONDS);
  const usage = spec['signerName'] === 'kubernetes.io/kubelet-serving' ? 'server' : 'client';
  const pem = Buffer.from(String(spec['request']), 'base64').toString();
  return authority.sign(pem, { usage, seconds });
}
