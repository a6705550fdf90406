import { eventsThroughRecorder } from '../actors/events-through-recorder.ts';
import type { ApiGatewayProtocol } from '../actors/api-gateway/protocol.ts';
import type { ClientCertificateProtocol } from '../actors/client-certificate/protocol.ts';
import type { ObjectCacheProtocol } from '../actors/object-cache/protocol.ts';
import type { PodSourceApiProtocol } from '../actors/pod-source-api/protocol.ts';
import { actorKind } from './actor/actor.ts';
import { systemClock } from './actor/clock.ts';
import type { Log } from './actor/log.ts';
import { largeMailbox, type LoadKind } from './actor-kinds-config.ts';
import type { ApiSettings } from './agent-api.ts';
import { servedNames, servesBySigner } from './agent-serving-certificate.ts';
import type { AgentSettings } from './agent.ts';
import type { ApiCall } from './api/api-client.ts';
import { packageVersion } from './package-root.ts';

const BOOTSTRAP_CALL_MS = 30_000;

/** Who is told whether the API server answers. */
const apiHealthListeners: readonly string[] = [
  'node-status',
  'node-lease',
  'pod-source-api',
  'object-cache',
  'client-certificate',
  'server-certificate',
];

/** The actors that connect the agent to its API server. */
export const apiActorKinds: Readonly<Record<string, LoadKind>> = {
  'api-gateway': async ({ settings, log, faults }, metrics) => {
    const { ApiGateway } = await import('../actors/api-gateway/actor.ts');
    const { defaultUnderWay, MOST_WAITING, rateOf, REVIEW_RATE } = await import('../actors/api-gateway/state.ts');
    const { requestMetrics } = await import('./api/request-metrics.ts');
    const { config } = settings;
    const { transport, server } = await transportTo(apiOf(settings), log);
    // These outlive an incarnation of the gateway: connections go on, and what was left open is found.
    const deps = {
      transport: faults?.apiTransport(transport) ?? transport,
      server,
      watches: new Map(),
      limits: {
        calls: rateOf(config.kubeAPIQPS ?? 50, config.kubeAPIBurst),
        events: rateOf(config.eventRecordQPS ?? 50, config.eventBurst),
        reviews: REVIEW_RATE,
        underWay: defaultUnderWay,
        waiting: MOST_WAITING,
      },
      metrics: requestMetrics(await metrics.registry(), new URL(server).host),
      listeners: apiHealthListeners,
    };
    return actorKind<ApiGatewayProtocol>({
      mailbox: largeMailbox,
      make: (context) => new ApiGateway(context, deps),
      about: (message) => (message.type === 'call' ? `${message.request.verb} ${message.request.path}` : undefined),
    });
  },
  'client-certificate': async ({ settings, log }, metrics) => {
    const { certificateMetrics } = await import('../actors/client-certificate/metrics.ts');
    const { ClientCertificate } = await import('../actors/client-certificate/actor.ts');
    const { certificateStore } = await import('./api/certificate-store.ts');
    const { nodeName, config } = settings;
    const { certDir, bootstrapKubeconfig } = apiOf(settings);
    const deps = {
      nodeName,
      store: certificateStore(certDir),
      rotate: config.rotateCertificates,
      metrics: certificateMetrics(metrics.families, 'client'),
      ...(bootstrapKubeconfig !== undefined && { asBootstrap: callsOnce(bootstrapKubeconfig, log) }),
    };
    return actorKind<ClientCertificateProtocol>({
      mailbox: largeMailbox,
      make: (context) => new ClientCertificate(context, deps),
    });
  },
  'server-certificate': async ({ settings, node }, threadMetrics) => {
    const { certificateMetrics } = await import('../actors/client-certificate/metrics.ts');
    const metrics = certificateMetrics(threadMetrics.families, 'server');
    const { ClientCertificate } = await import('../actors/client-certificate/actor.ts');
    const { certificateStore } = await import('./api/certificate-store.ts');
    const { nodeName } = settings;
    const store = certificateStore(apiOf(settings).certDir, 'server');
    const served = servedNames(settings, node);
    const deps = { nodeName, store, rotate: servesBySigner(settings), served, metrics };
    return actorKind<ClientCertificateProtocol>({
      mailbox: largeMailbox,
      make: (context) => new ClientCertificate(context, deps),
    });
  },
  'object-cache': async ({ settings }, metrics) => {
    const { ObjectCache } = await import('../actors/object-cache/actor.ts');
    const { reflectorMetrics } = await import('./api/reflector-metrics.ts');
    const deps = {
      // Validation has let no other value pass.
      strategy: settings.config.configMapAndSecretChangeDetectionStrategy as 'Watch' | 'Cache' | 'Get',
      count: reflectorMetrics(await metrics.registry()),
    };
    return actorKind<ObjectCacheProtocol>({ mailbox: largeMailbox, make: (context) => new ObjectCache(context, deps) });
  },
  'pod-source-api': async ({ settings }, metrics) => {
    const { PodSourceApi } = await import('../actors/pod-source-api/actor.ts');
    const { reflectorMetrics } = await import('./api/reflector-metrics.ts');
    const troubles = reflectorMetrics(await metrics.registry());
    return actorKind<PodSourceApiProtocol>({
      mailbox: largeMailbox,
      make: (context) =>
        new PodSourceApi(context, {
          nodeName: settings.nodeName,
          count: troubles('pods'),
          recordEvent: eventsThroughRecorder(context),
        }),
    });
  },
};

function apiOf({ api }: AgentSettings): ApiSettings {
  if (api === undefined) throw new Error('an agent without an API server has no actor that needs one');
  return api;
}

/** Calls as somebody who is hardly ever needed: each over a connection of its own. */
const callsOnce =
  (kubeconfig: string, log: Log): ApiCall =>
  async (request) => {
    const { transport } = await transportTo({ kubeconfig }, log);
    return transport.call(request, BOOTSTRAP_CALL_MS).finally(() => transport.close());
  };

/** The way to the API server, and its address as the kubeconfig has it now. */
async function transportTo({ kubeconfig }: Pick<ApiSettings, 'kubeconfig'>, log: Log) {
  const { kubeconfigIdentity } = await import('./api/identity.ts');
  const { networkTransport } = await import('./api/network-transport.ts');
  const { openConnections } = await import('./api/connections.ts');
  const { runExecPlugin } = await import('./api/exec-plugin.ts');
  const readFile = (path: string) => import('node:fs/promises').then((fs) => fs.readFile(path, 'utf8'));
  const source = kubeconfigIdentity(kubeconfig, { readFile, runPlugin: runExecPlugin, now: () => systemClock.now() });
  const userAgent = `hivelet/${packageVersion()} (${process.platform}/${process.arch})`;
  const transport = networkTransport({ source, open: openConnections, clock: systemClock, log, userAgent });
  const server = await source.read().then(
    ({ server }) => server,
    () => 'https://unknown',
  );
  return { transport, server };
}
