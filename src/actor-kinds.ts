import type { CriGatewayProtocol } from '../actors/cri-gateway/protocol.ts';
import { criThroughGateway, type Caller } from '../actors/cri-through-gateway.ts';
import { apiThroughGateway } from '../actors/api-through-gateway.ts';
import type { EventRecorderProtocol } from '../actors/event-recorder/protocol.ts';
import { eventsThroughRecorder, eventsToLog } from '../actors/events-through-recorder.ts';
import { imagesThroughManager } from '../actors/images-through-manager.ts';
import type { MirrorPodsProtocol } from '../actors/mirror-pods/protocol.ts';
import { objectsThroughCache } from '../actors/objects-through-cache.ts';
import type { PlegProtocol } from '../actors/pleg/protocol.ts';
import type { PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import type { PodSourceFileProtocol } from '../actors/pod-source-file/protocol.ts';
import type { PodSourceHttpProtocol } from '../actors/pod-source-http/protocol.ts';
import type { PodWorkerInit, PodWorkerProtocol } from '../actors/pod-worker/protocol.ts';
import type { ProbeManagerProtocol } from '../actors/probe-manager/protocol.ts';
import type { StatusManagerProtocol } from '../actors/status-manager/protocol.ts';
import { OBJECT_CACHE } from '../actors/object-cache/protocol.ts';
import { OBJECT_FOLDER, type ObjectFolderProtocol } from '../actors/object-folder/protocol.ts';
import { volumesThroughManager } from '../actors/volumes-through-manager.ts';
import type { Address } from './actor/message.ts';
import { placementOf, podThreadNames, podWorkerRule } from '../actors/tree.ts';
import { actorKind, type ActorContext } from './actor/actor.ts';
import { apiActorKinds } from './actor-kinds-api.ts';
import { largeMailbox, podMailbox, type LoadKind, type ThreadConfig } from './actor-kinds-config.ts';
import { apiUse, treeFor } from './agent-api.ts';
import { legacyLogsDir } from './pod/pod-log-path.ts';
import { cgroupsOf, containerManagerKind } from './agent-cgroups.ts';
import { apiClient } from './api/api-client.ts';
import type { AgentSettings } from './agent.ts';
import type { PodSource } from './pod/pod-source-change.ts';
import type { RecordEvent } from './kube/event.ts';
import { trimEndOf } from './kube/trim-run.ts';

/** How long an API server may take for one call. */
const API_CALL_MS = 30_000;

export const actorKinds: Readonly<Record<string, LoadKind>> = {
  ...apiActorKinds,
  'event-recorder': async ({ settings }) => {
    const { EventRecorder } = await import('../actors/event-recorder/actor.ts');
    const { defaultEventLimits } = await import('../actors/event-recorder/state.ts');
    const { nodeName } = settings;
    return actorKind<EventRecorderProtocol>({
      mailbox: largeMailbox,
      make: (context) => {
        const api = apiClient(apiThroughGateway(context, API_CALL_MS));
        return new EventRecorder(context, { api, nodeName, limits: defaultEventLimits });
      },
    });
  },
  'cri-gateway': async ({ settings, faults }, metrics) => {
    const { CriGateway } = await import('../actors/cri-gateway/actor.ts');
    const { defaultLaneLimits } = await import('../actors/cri-gateway/state.ts');
    const { LatestCreations } = await import('../actors/cri-gateway/latest-creations.ts');
    const { criEndpoints } = await import('./cri/endpoints.ts');
    const { operationMetrics } = await import('./cri/operation-metrics.ts');
    const transport = criEndpoints({ runtime: settings.runtimeEndpoint, image: settings.imageEndpoint });
    // These outlive an incarnation of the gateway: the next one goes on with the same client, and knows what is under way.
    const deps = {
      transport: faults?.transport(transport) ?? transport,
      underWay: new Map(),
      creations: new LatestCreations(),
      limits: { ...defaultLaneLimits, pull: pullsAtOnce(settings, defaultLaneLimits.pull) },
      metrics: operationMetrics(await metrics.registry()),
      listeners: ['pleg', 'pod-manager', ...(settings.api === undefined ? [] : ['node-status'])],
      podThreads: podThreadNames(treeFor(settings)),
    };
    return actorKind<CriGatewayProtocol>({
      mailbox: largeMailbox,
      make: (context) => new CriGateway(context, deps),
      about: (message) => (message.type === 'call' ? message.method : undefined),
    });
  },
  pleg: async (config, threadMetrics) => {
    const { Pleg } = await import('../actors/pleg/actor.ts');
    const { criClient } = await import('./cri/client.ts');
    const { plegMetrics } = await import('../actors/pleg/metrics.ts');
    const metrics = plegMetrics(await threadMetrics.registry());
    return actorKind<PlegProtocol>({
      mailbox: largeMailbox,
      make: (context) => {
        const criBytes = callsOf(config, context);
        return new Pleg(context, { cri: criClient(criBytes), criBytes, metrics });
      },
    });
  },
  'object-folder': async ({ settings: { objectsDir, config } }) => {
    const { ObjectFolder } = await import('../actors/object-folder/actor.ts');
    const { watchedFolder } = await import('./node/watched-folder.ts');
    if (objectsDir === undefined) throw new Error('there is no folder of objects');
    const deps = { folder: watchedFolder(objectsDir), pollEveryMs: config.fileCheckFrequency };
    return actorKind<ObjectFolderProtocol>({
      mailbox: largeMailbox,
      make: (context) => new ObjectFolder(context, deps),
    });
  },
  'volume-manager': async (config, { families }) =>
    (await import('./agent-volumes.ts')).volumeManagerKind(config, families, objectsAddress(config.settings)),
  'csi-manager': async ({ settings }, { families }) =>
    (await import('./agent-csi.ts')).csiManagerKind(settings, families),
  'garbage-collector': async (config, metrics) => {
    const { garbageCollectorKind } = await import('./agent-tidying.ts');
    const events = (context: Parameters<typeof eventsOf>[1]) => eventsOf(config, context);
    return garbageCollectorKind(config, { registry: await metrics.registry(), events });
  },
  'image-manager': async (config, { families }) =>
    (await import('./agent-images.ts')).imageManagerKind(config, families),
  'container-log-manager': async (config) => (await import('./agent-tidying.ts')).containerLogManagerKind(config),
  'oom-watcher': async (config) => (await import('./agent-tidying.ts')).oomWatcherKind(config),
  'kubelet-server': async (config, metrics) => (await import('./agent-server.ts')).kubeletServerKind(config, metrics),
  'stats-collector': async (config, { families }) =>
    (await import('./agent-stats.ts')).statsCollectorKind(config, families),
  'eviction-manager': async (config, metrics) =>
    (await import('./agent-eviction.ts')).evictionManagerKind(config, metrics),
  'container-manager': (config, { families }) => containerManagerKind(config, families),
  'node-status': async (config, metrics) =>
    (await import('./agent-node.ts')).nodeStatusKind(config, {
      registry: await metrics.registry(),
      families: metrics.families,
    }),
  'node-shutdown': async ({ settings }, { families }) =>
    (await import('./agent-node.ts')).nodeShutdownKind(settings, families),
  'node-lease': async ({ settings }) => (await import('./agent-node.ts')).nodeLeaseKind(settings),
  'probe-manager': async (config, metrics) => {
    const { ProbeManager } = await import('../actors/probe-manager/actor.ts');
    const { criClient } = await import('./cri/client.ts');
    const { probeMetrics } = await import('../actors/probe-manager/metrics.ts');
    const { ResultsOnDisk } = await import('../actors/probe-manager/results-on-disk.ts');
    const { hostPodFiles } = await import('./node/pod-files.ts');
    const { proberOf } = await import('./probing/run-probe.ts');
    const { settings, node, faults } = config;
    const files = faults?.files(hostPodFiles) ?? hostPodFiles;
    // Its figures begin anew with each incarnation, as its probes do.
    const figures = probeMetrics(await metrics.registry());
    return actorKind<ProbeManagerProtocol>({
      mailbox: largeMailbox,
      make: (context) => {
        const { clock } = context;
        figures.forgetAll();
        return new ProbeManager(context, {
          runProbe: proberOf({ cri: criClient(callsOf(config, context)), clock, userAgent: 'kube-probe/1.36' }),
          results: new ResultsOnDisk({ files, rootDir: node.rootDir }),
          metrics: figures,
          recordEvent: eventsOf(config, context),
          podThreads: podThreadNames(treeFor(settings)),
        });
      },
    });
  },
  'status-manager': async ({ settings }, threadMetrics) => {
    const { statusMetrics } = await import('../actors/status-manager/metrics.ts');
    const metrics = statusMetrics(threadMetrics.families);
    const { StatusManager } = await import('../actors/status-manager/actor.ts');
    const podThreads = podThreadNames(treeFor(settings));
    return actorKind<StatusManagerProtocol>({
      mailbox: largeMailbox,
      make: (context) => {
        const api = apiUse(settings) === 'api' ? apiClient(apiThroughGateway(context, API_CALL_MS)) : undefined;
        return new StatusManager(context, { podThreads, api, metrics });
      },
    });
  },
  'pod-manager': async (config, threadMetrics) => {
    const { settings } = config;
    const { PodManager } = await import('../actors/pod-manager/actor.ts');
    const { allocationsIn } = await import('../actors/pod-manager/allocations.ts');
    const { hostPodFiles } = await import('./node/pod-files.ts');
    const { admissionRules, nodeByItself } = await import('./agent-admission.ts');
    const { podManagerMetrics } = await import('../actors/pod-manager/metrics.ts');
    const { nodeInfoMetrics } = await import('./node/node-info-metrics.ts');
    // Once for the whole agent: the pod manager's thread is always there.
    nodeInfoMetrics(threadMetrics.families, { nodeName: settings.nodeName, cgroupVersion: config.node.cgroupVersion });
    const tree = treeFor(settings);
    const placement = placementOf(tree);
    const deps = {
      sources: podSources(settings),
      rules: admissionRules(settings),
      allocations: allocationsIn(settings.rootDir, hostPodFiles),
      podThreads: podThreadNames(tree),
      threadOf: (uid: string) => placement(`pod-worker/${uid}`),
      workerRule: podWorkerRule,
      metrics: podManagerMetrics(threadMetrics.families),
    };
    const inCluster = apiUse(settings) === 'api' ? { node: nodeByItself(settings, config.node) } : {};
    return actorKind<PodManagerProtocol>({
      mailbox: largeMailbox,
      make: (context) => new PodManager(context, { ...deps, ...inCluster, recordEvent: eventsOf(config, context) }),
    });
  },
  'mirror-pods': async ({ settings: { nodeName } }) => {
    const { MirrorPods } = await import('../actors/mirror-pods/actor.ts');
    return actorKind<MirrorPodsProtocol>({
      mailbox: largeMailbox,
      make: (context) => new MirrorPods(context, { api: apiClient(apiThroughGateway(context, API_CALL_MS)), nodeName }),
    });
  },
  'pod-source-http': async ({ settings }) => {
    const { PodSourceHttp } = await import('../actors/pod-source-http/actor.ts');
    const { fetchManifest } = await import('../actors/pod-source-http/fetch-manifest.ts');
    const { staticPodURL: url, staticPodURLHeader, httpCheckFrequency } = settings.config;
    const { nodeName } = settings;
    const deps = { url, fetch: fetchManifest(url, staticPodURLHeader), nodeName, pollEveryMs: httpCheckFrequency };
    return actorKind<PodSourceHttpProtocol>({
      mailbox: largeMailbox,
      make: (context) => new PodSourceHttp(context, deps),
    });
  },
  'pod-source-file': async (config) => {
    const { PodSourceFile } = await import('../actors/pod-source-file/actor.ts');
    const { keptPodsIn } = await import('../actors/pod-source-file/kept-pods.ts');
    const { manifestFolder } = await import('../actors/pod-source-file/manifest-folder.ts');
    const { settings } = config;
    const { staticPodPath, fileCheckFrequency } = settings.config;
    const deps = {
      folder: manifestFolder(staticPodPath.slice(0, 1) + trimEndOf(staticPodPath.slice(1), '/')),
      kept: keptPodsIn(`${settings.rootDir}/last-good-static-pods`),
      nodeName: settings.nodeName,
      mayReferTo: apiUse(settings) === 'objects-folder' ? ['configmaps', 'secrets'] : [],
      pollEveryMs: fileCheckFrequency,
    };
    return actorKind<PodSourceFileProtocol>({
      mailbox: largeMailbox,
      make: (context) => new PodSourceFile(context, { ...deps, recordEvent: eventsOf(config, context) }),
    });
  },
  'pod-worker': async (config, threadMetrics) => {
    const { PodWorker } = await import('../actors/pod-worker/actor.ts');
    const { criClient } = await import('./cri/client.ts');
    const { hostPodFiles } = await import('./node/pod-files.ts');
    const { ownTurns } = await import('./node/own-turn.ts');
    const { node, settings, faults } = config;
    const files = faults?.files(hostPodFiles) ?? hostPodFiles;
    const ownTurn = ownTurns((serve) => void setImmediate(serve));
    const cgroups = await cgroupsOf(config, threadMetrics.families);
    const { podWorkerMetrics } = await import('../actors/pod-worker/metrics.ts');
    // Counts over incarnations, and over pods.
    const metrics = podWorkerMetrics(threadMetrics.families);
    const { runtimeRequestTimeout, syncFrequency, crashLoopBackOff } = settings.config;
    return actorKind<PodWorkerProtocol>({
      mailbox: podMailbox,
      make: (untraced, init: PodWorkerInit) => {
        // Whatever it does is for its pod, and can be followed: a pod's trace is its UID.
        const context = untraced.traced(init.podUid);
        return new PodWorker(context, {
          init,
          settings: {
            hostIps: node.hostIPs,
            syncFrequencyMs: syncFrequency,
            crashLoopMaxMs: crashLoopBackOff.maxContainerRestartPeriod ?? 300_000,
            ...(settings.deadContainers && { deadContainersKept: settings.deadContainers.perContainer }),
          },
          recordEvent: eventsOf(config, context),
          tools: {
            cri: criClient(callsOf(config, context)),
            files,
            ownTurn,
            cgroups,
            node,
            clock: context.clock,
            requestTimeoutMs: runtimeRequestTimeout,
            legacyLogsDir: legacyLogsDir(node.podLogsDir),
            volumes: volumesThroughManager(context),
            objects: podObjects(settings, context),
            images: imagesThroughManager(context),
            metrics,
          },
        });
      },
    });
  },
};

const podSources = (settings: AgentSettings): readonly PodSource[] => [
  'file',
  ...(settings.config.staticPodURL === '' ? [] : (['http'] as const)),
  ...(apiUse(settings) === 'api' ? (['api'] as const) : []),
];

/** Where an actor's events go. */
const eventsOf = ({ settings }: ThreadConfig, context: Pick<ActorContext, 'ref' | 'clock' | 'log'>): RecordEvent =>
  apiUse(settings) === 'api' ? eventsThroughRecorder(context) : eventsToLog(context);

/** Who knows ConfigMaps, Secrets and the like; undefined: nobody. */
function objectsAddress(settings: AgentSettings): Address | undefined {
  const api = apiUse(settings);
  if (api === 'standalone') return undefined;
  return api === 'api' ? OBJECT_CACHE : OBJECT_FOLDER;
}

function podObjects(settings: AgentSettings, context: Pick<ActorContext, 'ref'>) {
  const address = objectsAddress(settings);
  return address === undefined ? undefined : objectsThroughCache(context, address);
}

const callsOf = ({ settings }: ThreadConfig, context: Caller) =>
  criThroughGateway(context, settings.config.runtimeRequestTimeout);

function pullsAtOnce({ config }: AgentSettings, unlimited: number): number {
  if (config.maxParallelImagePulls !== null) return config.maxParallelImagePulls;
  return config.serializeImagePulls ? 1 : unlimited;
}
