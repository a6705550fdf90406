import { readTextSync } from '../../src/host/read-regular-file.ts';
import { join } from 'node:path';
import type { ActorContext } from '../../src/actor/actor.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';
import { apiClient } from '../../src/api/api-client.ts';
import { encodeConfig } from '../../src/config/fields/encode-config.ts';
import { decideGates } from '../../src/config/feature-gates.ts';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';
import { criClient } from '../../src/cri/client.ts';
import { Authenticator } from '../../src/serving/access/authenticator.ts';
import { allowedByItself, WebhookAuthorizer } from '../../src/serving/access/authorizer.ts';
import type { ServerSwitches } from '../../src/serving/endpoints.ts';
import { HealthSlis } from '../../src/serving/health-slis.ts';
import { hostLogFiles } from '../../src/serving/logs/log-files.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { kernelPeers } from '../../src/host/tcp-peers.ts';
import type { NodeServerSettings, NodeServerTools } from '../../src/serving/node-server-settings.ts';
import { type NodeServer, openNodeServer } from '../../src/serving/node-server.ts';
import type { NodeFigures, NodeView } from '../../src/serving/node-view.ts';
import { keptCertificate } from '../../src/serving/kept-certificate.ts';
import { selfSignedCertificate, type ServerCertificate } from '../../src/serving/server-certificate.ts';
import { serverMetrics } from '../../src/serving/server-metrics.ts';
import { servingCertificateReader } from '../../src/serving/serving-certificate.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { dutiesText, failingDuties, syncLoopProblem } from '../health-monitor/client.ts';
import { HEALTH_MONITOR } from '../health-monitor/protocol.ts';
import { PROCESS_CONTROL } from '../process-control/protocol.ts';
import { PLEG } from '../pleg/protocol.ts';
import { podManagerClient } from '../pod-manager/client.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { STATS_COLLECTOR } from '../stats-collector/protocol.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import { KubeletServer } from './actor.ts';
import type { KubeletServerProtocol, ListenerName } from './protocol.ts';
import { debuggingTools } from './debugging-tools.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';

const ASK_WITHIN = { deadlineMs: 10_000 };
const REVIEW_TIMEOUT_MS = 10_000;

/** Serves the kubelet's API. */
export const kind = agentKind<KubeletServerProtocol>({
  runsOn: 'server',
  standsOn: [CRI_GATEWAY, HEALTH_MONITOR, PLEG, POD_MANAGER, STATS_COLLECTOR, STATUS_MANAGER],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'listen-due': true,
    'listen-failed': true,
    listening: true,
    'certificate-check-due': true,
    'server-ports': true,
  },
  make({ settings, metrics: families }) {
    const metrics = serverMetrics(families);
    const { config } = settings;
    const readCertificate = servingCertificateReader(settings);
    const readClientCa = clientCaReader(config);
    const open = new Map<ListenerName, NodeServer>();
    // Shared by all incarnations: health-check counters must not restart at zero.
    const slis = new HealthSlis();
    // Addresses may change, and the certificate stays: its only name is the host's.
    const names = { hostname: settings.nodeName, addresses: [] };
    return (context) => {
      // Without an API server no token can be reviewed, and the configuration decides about access.
      const api = settings.api && apiClient(apiGatewayClient(context, REVIEW_TIMEOUT_MS));
      const { clock, log } = context;
      const { webhook, anonymous } = config.authentication;
      const { mode, webhook: access } = config.authorization;
      const plain: NodeServerTools = {
        node: nodeViewOf(context, settings),
        files: hostLogFiles,
        clock,
        debugging: debuggingTools(context, settings),
        slis,
        metrics,
        peers: kernelPeers(hostReader, clock),
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
      const ownCertificate = (): Promise<ServerCertificate> => {
        const make = () => selfSignedCertificate(names, clock.now());
        if (settings.api === undefined) return make();
        return keptCertificate({ folder: settings.api.certDir, now: clock.now(), make });
      };
      const listeners = new Map<ListenerName, () => Promise<NodeServer>>();
      if (config.enableServer) {
        listeners.set('secure', async () => {
          const certificate = readCertificate?.() ?? (await ownCertificate());
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
        // As in the kubelet: this port answers only the ping check.
        const healthChecks = new Map([...plain.node.healthChecks].filter(([name]) => name === 'ping'));
        const healthOnly = {
          ...plain,
          node: { ...plain.node, healthChecks, namedChecks: new Map() },
          only: new Set(['healthz'] as const),
        };
        listeners.set('healthz', () => openNodeServer({ ...secureSettings(config), address, port }, healthOnly));
      }
      listeners.set('pod-resources', async () => {
        const { openPodResourcesServer } = await import('../../src/serving/pod-resources-server.ts');
        const socketPath = join(settings.rootDir, 'pod-resources/kubelet.sock');
        return openPodResourcesServer({ socketPath, pods: () => plain.node.pods(), clock, metrics });
      });
      const readTls = () => ({ certificate: readCertificate?.(), clientCa: readClientCa() });
      return new KubeletServer(context, { listeners, readTls, open });
    };
  },
});

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

/** Returns a reader of the client CA. The reader throws when the file cannot be read, or holds no certificate. */
function clientCaReader({ authentication }: KubeletConfiguration): () => string | undefined {
  const { clientCAFile } = authentication.x509;
  if (clientCAFile === '') return () => undefined;
  return () => {
    const pem = readTextSync(clientCAFile);
    if (!pem.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error(`clientCAFile ${clientCAFile} holds no certificate`);
    return pem;
  };
}

function tlsSettings(config: KubeletConfiguration) {
  return {
    minVersion: tlsVersions[config.tlsMinVersion],
    ciphers: config.tlsCipherSuites.map(opensslName),
  };
}

/**
 * `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` → `ECDHE-RSA-AES128-GCM-SHA256`; suites of TLS 1.3 have the same name in
 * both.
 */
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

function nodeViewOf(context: ActorContext<KubeletServerProtocol>, settings: AgentSettings): NodeView {
  const pods = podManagerClient(context);
  const failing = failingDuties(context);
  return {
    nodeName: settings.nodeName,
    pods: () => pods.all(),
    pod: (namespace, name) => pods.named(namespace, name),
    cri: criClient(criGatewayClient(context, settings.config.runtimeRequestTimeout)),
    figures: statsCollectorClient(context),
    metrics: () => context.ref(PROCESS_CONTROL).ask({ type: 'metrics-text' }, ASK_WITHIN),
    configuration: encodeConfig(settings.config),
    healthChecks: new Map([
      ['ping', () => Promise.resolve(undefined)],
      ['log', () => Promise.resolve(undefined)],
      ['syncloop', syncLoopProblem(context)],
      // The agent has no device manager that could be unhealthy.
      ['device-plugin', () => Promise.resolve(undefined)],
    ]),
    // Much of what may fail, such as the API server, is no reason to restart the agent.
    namedChecks: new Map([['duties', async () => dutiesText(await failing())]]),
  };
}

/** Concurrent scrapes share a measurement up to this age. */
const FIGURES_AT_MOST_MS = 1_000;

function statsCollectorClient(context: Pick<ActorContext, 'ref'>): NodeFigures {
  const collector = context.ref(STATS_COLLECTOR);
  const maxAgeMs = FIGURES_AT_MOST_MS;
  return {
    summary: (extent) => collector.ask({ type: 'summary-text', maxAgeMs, extent }, ASK_WITHIN),
    resource: () => collector.ask({ type: 'resource-metrics', maxAgeMs }, ASK_WITHIN),
    cadvisor: () => collector.ask({ type: 'cadvisor-metrics', maxAgeMs }, ASK_WITHIN),
  };
}
