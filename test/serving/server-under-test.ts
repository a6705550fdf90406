import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';
import { apiClient } from '../../src/api/api-client.ts';
import type { ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { systemClock, type Clock } from '../../src/actor/clock.ts';
import { Authenticator } from '../../src/serving/access/authenticator.ts';
import { WebhookAuthorizer } from '../../src/serving/access/authorizer.ts';
import type { NodeServerSettings } from '../../src/serving/node-server-settings.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { kernelPeers } from '../../src/host/tcp-peers.ts';
import { type NodeServer, openNodeServer } from '../../src/serving/node-server.ts';
import type { NodeView } from '../../src/serving/node-view.ts';
import { selfSignedCertificate } from '../../src/serving/server-certificate.ts';
import type { DebuggingTools } from '../../src/serving/answer-debugging.ts';
import { ProfileAnswers } from '../../src/serving/profiles.ts';
import { HealthSlis } from '../../src/serving/health-slis.ts';
import type { ServerMetrics } from '../../src/serving/server-metrics.ts';
import { MemoryLogFiles } from './memory-log-files.ts';

export const LOG_PATH = '/var/log/pods/a_web_u1/main/0.log';

export const web: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'a', uid: podUid('u1') },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'main',
        image: 'app:1',
        imageID: 'app:1',
        ready: true,
        restartCount: 0,
        containerID: 'fake://c1',
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
} as unknown as Pod;

/** The API server's part: the user of a token, and the rights of a user. */
export class FakeReviews {
  readonly tokens = new Map<string, { readonly username: string; readonly groups: readonly string[] }>();
  /** `user subresource` pairs; `*` for every subresource. */
  readonly rights = new Set<string>();
  isDown = false;
  asked = 0;
  /** Token reviews are answered when the test releases them, or at intervals, as behind a busy gateway. */
  hold: 'tokens' | { readonly atOnce: number; readonly eachMs: number } | undefined;
  /** Which of them. */
  holds: (token: string) => boolean = () => true;
  #held: (() => void)[] = [];
  #served = 0;

  release(): void {
    this.hold = undefined;
    for (const answer of this.#held.splice(0)) answer();
  }

  /** How many reviews wait to be answered. */
  get held(): number {
    return this.#held.length;
  }

  readonly call = (request: ApiRequest): Promise<ApiOutcome<unknown>> => {
    this.asked++;
    if (this.isDown) return Promise.resolve({ ok: false, fault: { kind: 'unreachable', message: 'no route' } });
    const { spec } = request.body as {
      spec: { token?: string; user?: string; resourceAttributes?: { subresource: string } };
    };
    if (spec.token !== undefined) {
      const user = this.tokens.get(spec.token);
      const status = user === undefined ? { authenticated: false } : { authenticated: true, user };
      return this.#untilReleased(spec.token).then(() => ({ ok: true, value: { status } }));
    }
    const subresource = spec.resourceAttributes?.subresource ?? '';
    const allowed = [`${spec.user} ${subresource}`, `${spec.user} *`].some((right) => this.rights.has(right));
    return Promise.resolve({ ok: true, value: { status: { allowed } } });
  };

  #untilReleased(token: string): Promise<void> {
    const { hold } = this;
    if (hold === undefined || !this.holds(token)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#held.push(resolve);
      if (hold !== 'tokens' && this.#served < hold.atOnce) this.#serve(hold.eachMs);
    });
  }

  #serve(eachMs: number): void {
    const answer = this.#held.shift();
    if (answer === undefined) return;
    this.#served += 1;
    systemClock.after(eachMs, () => {
      this.#served -= 1;
      answer();
      this.#serve(eachMs);
    });
  }
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Signs client certificates. */
export class ClientCa {
  readonly certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.certificate = certificate;
    this.#keys = keys;
  }

  static async make(): Promise<ClientCa> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=client-ca',
      notBefore: new Date(Date.UTC(2020, 0)),
      notAfter: new Date(Date.UTC(2060, 0)),
      keys,
      signingAlgorithm: ecdsa,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new ClientCa(certificate, keys);
  }

  get pem(): string {
    return this.certificate.toString('pem');
  }

  /** A self-signed certificate. */
  static async selfMade(name: string): Promise<ClientCertificate> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({ name, keys, signingAlgorithm: ecdsa });
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  }

  async issue(subject: string, until = Date.UTC(2059, 0)): Promise<ClientCertificate> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer: this.certificate.subject,
      notBefore: new Date(Date.UTC(2020, 0)),
      notAfter: new Date(until),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ecdsa,
      extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
    });
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  }
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const text = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${text.replaceAll(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`;
}

const ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);

export interface ServerUnderTest {
  readonly server: NodeServer;
  readonly reviews: FakeReviews;
  readonly files: MemoryLogFiles;
  readonly ca: ClientCa;
  readonly warnings: string[];
  /** The requests to the runtime. */
  readonly calls: { readonly method: string; readonly request: unknown }[];
  /** Calls that the runtime cannot make. */
  readonly failing: Set<string>;
}

export interface ServerOptions {
  readonly anonymous?: boolean;
  /** Where the runtime's streaming server is. */
  readonly streamUrl?: string;
  readonly debugging?: DebuggingTools;
  /** How long answers about identities and rights hold goes by this. */
  readonly clock?: Clock;
  /** Without TLS. */
  readonly plain?: boolean;
  /** Without authentication. */
  readonly unguarded?: boolean;
  readonly tls?: Partial<NonNullable<NodeServerSettings['tls']>>;
  readonly settings?: Partial<NodeServerSettings>;
  readonly metrics?: ServerMetrics;
}

/** The kubelet's server on loopback, with TLS, in front of a node with one pod. */
export async function serverUnderTest(options: ServerOptions = {}): Promise<ServerUnderTest> {
  const ca = await ClientCa.make();
  const reviews = new FakeReviews();
  const files = new MemoryLogFiles();
  const api = apiClient(reviews.call);
  const warnings: string[] = [];
  const counting = options.metrics !== undefined && { metrics: options.metrics };
  const runtime = { calls: [] as ServerUnderTest['calls'], failing: new Set<string>() };
  const server = await openNodeServer(
    {
      address: '127.0.0.1',
      port: 0,
      switches: {
        debuggingHandlers: true,
        systemLogHandler: true,
        profilingHandler: true,
        debugFlagsHandler: true,
        containerCheckpoint: true,
        statusz: true,
        flagz: true,
        fineGrainedAuthorization: true,
      },
      streamIdleMs: 0,
      ...(options.plain !== true && {
        tls: {
          certificate: await selfSignedCertificate(
            { hostname: 'localhost', addresses: ['127.0.0.1'] },
            systemClock.now(),
          ),
          clientCa: ca.pem,
          minVersion: 'TLSv1.2',
          ciphers: [],
          ...options.tls,
        },
      }),
      ...options.settings,
    },
    {
      node: nodeView(options.streamUrl ?? '', runtime),
      files,
      clock: systemClock,
      debugging: options.debugging ?? upkeepOf(),
      slis: new HealthSlis(),
      ...counting,
      ...(options.unguarded !== true && {
        authenticator: new Authenticator({
          anonymousEnabled: options.anonymous === true,
          tokenReviews: { api, cacheMs: 120_000 },
          clock: options.clock ?? systemClock,
          ...counting,
        }),
        authorizer: new WebhookAuthorizer({
          api,
          clock: options.clock ?? systemClock,
          ...counting,
          allowedForMs: 300_000,
          deniedForMs: 30_000,
        }),
      }),
      peers: kernelPeers(hostReader, systemClock),
      warn: (_, text) => void warnings.push(text),
    },
  );
  return { server, reviews, files, ca, warnings, ...runtime };
}

/** Upkeep of a node that has nothing to show. */
export const upkeepOf = (more: Partial<DebuggingTools> = {}): DebuggingTools => ({
  logs: {
    folder: { find: () => Promise.resolve({ type: 'missing' }) },
    journal: () => Promise.resolve(undefined),
    queries: true,
    now: () => 0,
  },
  checkpoints: { path: '/checkpoints', make: () => Promise.resolve() },
  profiles: new ProfileAnswers({
    names: () => Promise.resolve(['main', 'pleg']),
    cpu: (thread, durationMs) =>
      Promise.resolve(thread === 'gone' ? undefined : JSON.stringify({ thread, durationMs })),
    heap: () => Promise.resolve(false),
    makeFolder: () => Promise.reject(new Error('there is no folder')),
  }),
  status: { startedAt: 0, version: 'v1.36.2+test', runtimeVersion: 'node', paths: ['/pods'] },
  flags: { v: '2' },
  setVerbosity: () => Promise.resolve(),
  ...more,
});

const nodeView = (streamUrl: string, runtime: Pick<ServerUnderTest, 'calls' | 'failing'>): NodeView => ({
  nodeName: 'n1',
  pods: () => Promise.resolve([web]),
  pod: (namespace, name) => Promise.resolve(namespace === 'a' && name === 'web' ? web : undefined),
  cri: {
    call(method: string, request: unknown) {
      runtime.calls.push({ method, request });
      if (runtime.failing.has(method)) {
        const fault = { code: 'UNIMPLEMENTED' as const, detail: `${method} is not there` };
        return Promise.resolve({ ok: false, fault });
      }
      const answers: Readonly<Record<string, unknown>> = {
        ContainerStatus: { status: { logPath: LOG_PATH, state: 1 }, info: {} },
        ExecSync: { exitCode: 0, stdout: Buffer.from('done'), stderr: Buffer.alloc(0) },
        Exec: { url: streamUrl },
        Attach: { url: streamUrl },
        PortForward: { url: streamUrl },
        ListPodSandbox: { items: [{ id: 's1', createdAt: 1n }] },
      };
      return Promise.resolve({ ok: true, value: answers[method] as never });
    },
  },
  metrics: () =>
    Promise.resolve(
      [
        '# HELP kubelet_node_name The node.\n# TYPE kubelet_node_name gauge\nkubelet_node_name{node="n1"} 1',
        '# HELP prober_probe_total Probes.\n# TYPE prober_probe_total counter\nprober_probe_total{result="failed"} 2\n',
      ].join('\n'),
    ),
  figures: {
    summary: (extent) => Promise.resolve(runtime.failing.has('stats') ? undefined : JSON.stringify({ extent })),
    resource: () => Promise.resolve('node_cpu_usage_seconds_total 1 1000\n'),
    cadvisor: () => Promise.resolve('container_last_seen 1\n'),
  },
  configuration: { kind: 'KubeletConfiguration' },
  healthChecks: new Map(
    ['ping', 'log', 'syncloop', 'device-plugin'].map((name) => [name, () => Promise.resolve(undefined)]),
  ),
  namedChecks: new Map([['duties', () => Promise.resolve('event-recorder cannot write events')]]),
});

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface AskOptions {
  readonly method?: string;
  readonly token?: string;
  readonly certificate?: ClientCertificate;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Keeps connections for the next request; without it each request has its own connection. */
  readonly agent?: Agent;
}

/** One request. */
export function ask(
  { server }: { readonly server: Pick<NodeServer, 'port'> },
  path: string,
  options: AskOptions = {},
): Promise<Answer> {
  const { method = 'GET', token, certificate, headers, agent = false } = options;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port: server.port,
        path,
        method,
        agent,
        rejectUnauthorized: false,
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        ...certificate,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString(),
            bytes: Buffer.concat(pieces),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}
