import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiThroughGateway } from '../actors/api-gateway/client.ts';
import { criThroughGateway, type Caller } from '../actors/cri-gateway/client.ts';
import type { KubeletServerProtocol, ListenerName } from '../actors/kubelet-server/protocol.ts';
import { NODE_METRICS, type NodeMetricsProtocol } from '../actors/node-metrics/protocol.ts';
import { PLEG, type PlegProtocol } from '../actors/pleg/protocol.ts';
import { POD_MANAGER, type PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import { STATS_COLLECTOR, type StatsCollectorProtocol } from '../actors/stats-collector/protocol.ts';
import { STATUS_MANAGER, type StatusManagerProtocol } from '../actors/status-manager/protocol.ts';
import { actorKind, type ActorContext, type ActorKind } from './actor/actor.ts';
import type { ThreadConfig, ThreadMetrics } from './agent/kind.ts';
import { apiClient } from './api/api-client.ts';
import { encodeConfig } from './config/encode-config.ts';
import { decideGates } from './config/feature-gates.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import { criClient } from './cri/client.ts';
import { podUid } from './kube/ids.ts';
import type { Pod } from './kube/pod.ts';
import type { ServerSwitches } from './serving/endpoints.ts';
import type { NodeServer, NodeServerSettings, NodeServerTools } from './serving/node-server.ts';
import type { NodeFigures } from './serving/answer-figures.ts';
import type { NodeView } from './serving/node-view.ts';

const ASK_WITHIN = { deadlineMs: 10_000 };
const REVIEW_TIMEOUT_MS = 10_000;

/** The actor that serves the kubelet's API. */
export async function kubeletServerKind(
  { settings, node }: ThreadConfig,
  threadMetrics: ThreadMetrics,
): Promise<ActorKind> {
  const { KubeletServer } = await import('../actors/kubelet-server/actor.ts');
  const { openNodeServer } = await import('./serving/node-server.ts');
  const { hostLogFiles } = await import('./serving/log-files.ts');
  const { selfSignedCertificate } = await import('./serving/server-certificate.ts');
  const { servingCertificateReader } = await import('./agent-serving-certificate.ts');
  const { HealthSlis } = await import('./serving/health-slis.ts');
  const { Authenticator } = await import('./serving/authenticator.ts');
  const { upkeepTools } = await import('./agent-upkeep.ts');
  const { allowedByItself, WebhookAuthorizer } = await import('./serving/authorizer.ts');
  const { serverMetrics } = await import('./serving/server-metrics.ts');
  const metrics = serverMetrics(threadMetrics.families);
  const { config } = settings;
  const readCertificate = servingCertificateReader(settings);
  const readClientCa = clientCaReader(config);
  const open = new Map<ListenerName, NodeServer>();
  // Counts over incarnations: a counter that begins anew is a lie about its health checks.
  const slis = new HealthSlis();
  const names = { hostname: settings.nodeName, addresses: node.hostIPs };
  return actorKind<KubeletServerProtocol>({
    mailbox: { capacity: 1_000 },
    make(context) {
      // Without one nobody's token is known, and who is let in is for the configuration to say.
      const api = settings.api && apiClient(apiThroughGateway(context, REVIEW_TIMEOUT_MS));
      const { clock, log } = context;
      const { webhook, anonymous } = config.authentication;
      const { mode, webhook: access } = config.authorization;
      const plain: NodeServerTools = {
        node: nodeViewOf(context, { settings, node }),
        files: hostLogFiles,
        clock,
        upkeep: upkeepTools(context, settings),
        slis,
        metrics,
        warn: (facts, text) => log.warn(facts, text),
      };
      const guarded: NodeServerTools = {
        ...plain,
        authenticator: new Authenticator({
          anonymousEnabled: anonymous.enabled,
          tokenReviews: webhook.enabled && api !== undefined ? { api, cacheMs: webhook.cacheTTL } : undefined,
          clock,
          metrics,
        }),
        authorizer:
          mode === 'AlwaysAllow' || api === undefined
            ? allowedByItself(mode)
            : new WebhookAuthorizer({
                api,
                clock,
                metrics,
                allowedForMs: access.cacheAuthorizedTTL,
                deniedForMs: access.cacheUnauthorizedTTL,
              }),
      };
      const listeners = new Map<ListenerName, () => Promise<NodeServer>>();
      if (config.enableServer) {
        listeners.set('secure', async () => {
          const certificate = readCertificate?.() ?? (await selfSignedCertificate(names, clock.now()));
          const tls = { certificate, clientCa: readClientCa(), ...tlsSettings(config) };
          return openNodeServer({ ...secureSettings(config), tls }, guarded);
        });
      }
      if (config.readOnlyPort > 0) {
        const settingsOfIt = { ...secureSettings(config), port: config.readOnlyPort };
        const switches = { ...settingsOfIt.switches, debuggingHandlers: false };
        listeners.set('read-only', () => openNodeServer({ ...settingsOfIt, switches }, plain));
      }
      if (config.healthzPort > 0) {
        const { healthzBindAddress: address, healthzPort: port } = config;
        // As on the kubelet: that it answers is all that this port says.
        const healthChecks = new Map([...plain.node.healthChecks].filter(([name]) => name === 'ping'));
        const healthOnly = { ...plain, node: { ...plain.node, healthChecks }, only: new Set(['healthz'] as const) };
        listeners.set('healthz', () => openNodeServer({ ...secureSettings(config), address, port }, healthOnly));
      }
      listeners.set('pod-resources', async () => {
        const { openPodResourcesServer } = await import('./serving/pod-resources-server.ts');
        const socketPath = join(settings.rootDir, 'pod-resources/kubelet.sock');
        return openPodResourcesServer({ socketPath, pods: () => plain.node.pods(), clock, metrics });
      });
      const readTls = () => ({ certificate: readCertificate?.(), clientCa: readClientCa() });
      return new KubeletServer(context, { listeners, readTls, open });
    },
  });
}

function secureSettings(config: KubeletConfiguration): NodeServerSettings {
  return {
    address: config.address,
    port: config.port,
    switches: switchesOf(config),
    streamIdleMs: config.streamingConnectionIdleTimeout,
  };
}

function switchesOf(config: KubeletConfiguration): ServerSwitches {
  const isOn = decideGates(config.featureGates);
  return {
    debuggingHandlers: config.enableDebuggingHandlers,
    systemLogHandler: config.enableSystemLogHandler,
    profilingHandler: config.enableProfilingHandler,
    debugFlagsHandler: config.enableDebugFlagsHandler,
    containerCheckpoint: isOn('ContainerCheckpoint'),
    statusz: isOn('ComponentStatusz'),
    flagz: isOn('ComponentFlagz'),
    fineGrainedAuthorization: isOn('KubeletFineGrainedAuthz'),
  };
}

const tlsVersions = {
  '': 'TLSv1.2',
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const;

/** Throws when the file cannot be read, or holds none. */
function clientCaReader({ authentication }: KubeletConfiguration): () => string | undefined {
  const { clientCAFile } = authentication.x509;
  if (clientCAFile === '') return () => undefined;
  return () => {
    const pem = readFileSync(clientCAFile, 'utf8');
    if (!pem.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error(`clientCAFile ${clientCAFile} holds no certificate`);
    return pem;
  };
}

function tlsSettings(config: KubeletConfiguration) {
  return {
    minVersion: tlsVersions[config.tlsMinVersion as keyof typeof tlsVersions],
    ciphers: config.tlsCipherSuites.map(opensslName),
  };
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` → `ECDHE-RSA-AES128-GCM-SHA256`; the suites of TLS 1.3 have one name only. */
const opensslName = (suite: string): string =>
  suite.includes('_WITH_')
    ? suite
        .replace(/^TLS_/, '')
        .replace(/^RSA_WITH_/, '')
        .replace('_WITH_', '_')
        .replace(/AES_(\d+)/, 'AES$1')
        .replace(/_CBC_SHA(?=$|_)/, '_SHA')
        .replace(/CHACHA20_POLY1305.*/, 'CHACHA20_POLY1305')
        .replaceAll('_', '-')
    : suite;

function nodeViewOf(context: ActorContext<KubeletServerProtocol>, { settings }: ThreadConfig): NodeView {
  const manager = context.ref<PodManagerProtocol>(POD_MANAGER);
  const statuses = context.ref<StatusManagerProtocol>(STATUS_MANAGER);
  const pleg = context.ref<PlegProtocol>(PLEG);
  const caller: Caller = context;
  const withStatus = async (pod: Pod): Promise<Pod> => {
    const status = await statuses.ask({ type: 'status-of-pod', podUid: podUid(pod.metadata.uid) }, ASK_WITHIN);
    return status === undefined ? pod : { ...pod, status };
  };
  return {
    nodeName: settings.nodeName,
    async pods() {
      const [pods, all] = await Promise.all([
        manager.ask({ type: 'all-pods' }, ASK_WITHIN),
        statuses.ask({ type: 'all-statuses' }, ASK_WITHIN),
      ]);
      return pods.map((pod): Pod => {
        const status = all.get(podUid(pod.metadata.uid));
        return status === undefined ? pod : { ...pod, status };
      });
    },
    async pod(namespace, name) {
      const pod = await manager.ask({ type: 'pod-named', namespace, name }, ASK_WITHIN);
      return pod === undefined ? undefined : withStatus(pod);
    },
    cri: criClient(criThroughGateway(caller, settings.config.runtimeRequestTimeout)),
    figures: figuresThroughCollector(context),
    metrics: () => context.ref<NodeMetricsProtocol>(NODE_METRICS).ask({ type: 'metrics-text' }, ASK_WITHIN),
    configuration: encodeConfig(settings.config),
    healthChecks: new Map([
      ['ping', () => Promise.resolve(undefined)],
      ['log', () => Promise.resolve(undefined)],
      [
        'syncloop',
        async () => {
          const health = await pleg.ask({ type: 'pleg-health' }, ASK_WITHIN);
          return health.healthy ? undefined : 'the runtime was not looked at lately';
        },
      ],
      // There is no manager of devices here that could be unwell.
      ['device-plugin', () => Promise.resolve(undefined)],
    ]),
  };
}

/** Several who collect at once share a measurement. */
const FIGURES_AT_MOST_MS = 1_000;

function figuresThroughCollector(context: Pick<ActorContext, 'ref'>): NodeFigures {
  const collector = context.ref<StatsCollectorProtocol>(STATS_COLLECTOR);
  const maxAgeMs = FIGURES_AT_MOST_MS;
  return {
    summary: (extent) => collector.ask({ type: 'summary-text', maxAgeMs, extent }, ASK_WITHIN),
    resource: () => collector.ask({ type: 'resource-metrics', maxAgeMs }, ASK_WITHIN),
    cadvisor: () => collector.ask({ type: 'cadvisor-metrics', maxAgeMs }, ASK_WITHIN),
  };
}
