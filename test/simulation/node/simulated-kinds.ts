import { PLEG } from '../../../actors/pleg/protocol.ts';
import { NODE_STATUS } from '../../../actors/node-status/protocol.ts';
import { POD_MANAGER } from '../../../actors/pod-manager/protocol.ts';
import { apiGatewayClient } from '../../../actors/api-gateway/client.ts';
import { eventRecorderClient } from '../../../actors/event-recorder/client.ts';
import { ContainerManager } from '../../../actors/container-manager/actor.ts';
import type { ContainerManagerProtocol } from '../../../actors/container-manager/protocol.ts';
import { CsiManager } from '../../../actors/csi-manager/actor.ts';
import { KeyedWork } from '../../../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../../../actors/csi-manager/protocol.ts';
import { noStorageObjects } from '../../../actors/csi-manager/storage-objects.ts';
import { csiManagerClient } from '../../../actors/csi-manager/client.ts';
import { CriGateway } from '../../../actors/cri-gateway/actor.ts';
import { LatestCreations } from '../../../actors/cri-gateway/latest-creations.ts';
import type { CriGatewayProtocol, CriGatewayQuestion } from '../../../actors/cri-gateway/protocol.ts';
import type { LaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import { criGatewayClient } from '../../../actors/cri-gateway/client.ts';
import { NodeAddresses } from '../../../actors/node-addresses/actor.ts';
import type { NodeAddressesProtocol } from '../../../actors/node-addresses/protocol.ts';
import { ContainerLogManager } from '../../../actors/container-log-manager/actor.ts';
import type { ContainerLogManagerProtocol } from '../../../actors/container-log-manager/protocol.ts';
import { IptablesChains } from '../../../actors/iptables-chains/actor.ts';
import type { Iptables } from '../../../actors/iptables-chains/look-at-family.ts';
import type { IptablesChainsProtocol } from '../../../actors/iptables-chains/protocol.ts';
import { OomWatcher } from '../../../actors/oom-watcher/actor.ts';
import type { OomWatcherProtocol } from '../../../actors/oom-watcher/protocol.ts';
import { GarbageCollector } from '../../../actors/garbage-collector/actor.ts';
import type { GarbageCollectorProtocol } from '../../../actors/garbage-collector/protocol.ts';
import { EvictionManager } from '../../../actors/eviction-manager/actor.ts';
import type { EvictionManagerProtocol } from '../../../actors/eviction-manager/protocol.ts';
import { JobPool } from '../../../actors/job-pool/actor.ts';
import type { JobName } from '../../../actors/job-pool/job-threads.ts';
import { Pleg } from '../../../actors/pleg/actor.ts';
import type { PlegProtocol } from '../../../actors/pleg/protocol.ts';
import { allocationsIn } from '../../../actors/pod-manager/checkpoints/allocations.ts';
import { serverReads } from '../../../actors/pod-manager/server/server-reads.ts';
import { PodManager } from '../../../actors/pod-manager/actor.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import { PodSourceFile } from '../../../actors/pod-source-file/actor.ts';
import { PodSourceHttp } from '../../../actors/pod-source-http/actor.ts';
import type { PodSourceHttpProtocol } from '../../../actors/pod-source-http/protocol.ts';
import type { PodSourceFileProtocol } from '../../../actors/pod-source-file/protocol.ts';
import { PodWorker } from '../../../actors/pod-worker/actor.ts';
import type { PodWorkerInit, PodWorkerProtocol } from '../../../actors/pod-worker/protocol.ts';
import { ProbeManager } from '../../../actors/probe-manager/actor.ts';
import type { ProbeManagerProtocol } from '../../../actors/probe-manager/protocol.ts';
import { ResultsOnDisk } from '../../../actors/probe-manager/results-on-disk.ts';
import { StatsCollector } from '../../../actors/stats-collector/actor.ts';
import type { StatsCollectorProtocol } from '../../../actors/stats-collector/protocol.ts';
import { StatusManager } from '../../../actors/status-manager/actor.ts';
import type { StatusManagerProtocol } from '../../../actors/status-manager/protocol.ts';
import { VolumeManager } from '../../../actors/volume-manager/actor.ts';
import { VOLUME_MANAGER, type VolumeManagerProtocol } from '../../../actors/volume-manager/protocol.ts';
import { OBJECT_CACHE } from '../../../actors/object-cache/protocol.ts';
import { objectCacheClient, volumeObjectsClient } from '../../../actors/object-cache/client.ts';
import { ImageManager, type ImageManagerDeps } from '../../../actors/image-manager/actor.ts';
import type { ImageManagerProtocol } from '../../../actors/image-manager/protocol.ts';
import { imageManagerClient } from '../../../actors/image-manager/client.ts';
import { volumeManagerClient } from '../../../actors/volume-manager/client.ts';
import { placementOf, podThreadNames, type Tree } from '../../../src/agent/tree.ts';
import { actorKind, type Actor, type ActorContext, type ActorKind } from '../../../src/actor/actor.ts';
import type { Protocol } from '../../../src/actor/messages/message.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { RecordEvent } from '../../../src/kube/event.ts';
import { criClient } from '../../../src/cri/client.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import { parseManifestFrom, type ManifestFile } from '../../../src/jobs/parse-manifest.ts';
import type { AdmissionNode } from '../../../src/node/admission/admission.ts';
import type { AdmissionRules } from '../../../src/node/admission/pod-admission.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import { noBundles, noObjects } from '../../../src/volumes/plan/object-source.ts';
import type { VolumeOutcome } from '../../../src/volumes/disk/set-up-volume.ts';
import type { VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import { thresholdsOf } from '../../../src/node/eviction/thresholds.ts';
import type { ManifestDisk } from './manifest-disk.ts';
import { MemoryCsiFiles } from '../../support/memory-csi-files.ts';
import type { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { HealthMonitor } from '../../../actors/health-monitor/actor.ts';
import type { HealthMonitorProtocol } from '../../../actors/health-monitor/protocol.ts';
import type { MemoryFiles } from './memory-files.ts';
import { NODE_NAME } from './pod-shapes.ts';
import { simulatedApiKinds, type MakeKind } from './simulated-api-kinds.ts';
import type { SimulatedApi } from './simulated-api.ts';
import { enoughMemory, simulatedImages, simulatedLogs, simulatedTidying } from './simulated-tidying.ts';
import { carryOutInMemory } from './simulated-volumes.ts';
import { plenty, type SimulatedFigures } from './simulated-figures.ts';
import { bareHost, bareMachine, simulatedAddresses } from './simulated-host.ts';
import { nobodyListens, withoutNetwork } from './simulated-probes.ts';
import type { SimulatedRuntime } from './simulated-runtime.ts';
import type { ThreadLife } from './simulated-thread.ts';
import type { Switches } from './switches.ts';
import type { Traps } from './traps.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The properties of a simulated node. */
export interface NodeSettings {
  readonly nodeName: string;
  readonly syncFrequencyMs: number;
  readonly crashLoopMaxMs: number;
  readonly clusterDNS?: readonly string[];
  /** The settings of admission; `undefined` for the defaults. */
  readonly rules?: AdmissionRules;
  readonly images?: Pick<ImageManagerDeps, 'rate' | 'verification'>;
  /** `undefined`: no limit. */
  readonly pullsAtOnce?: number;
  /** Further differences from the usual node. */
  readonly facts?: Partial<NodeFacts>;
  /** The address of the node; `192.0.2.1` when absent. */
  readonly hostIp?: string;
}

export interface KindsOptions {
  readonly time: VirtualTime;
  readonly tree: Tree;
  readonly runtime: SimulatedRuntime;
  /** `undefined` when the node belongs to no cluster. */
  readonly api?: SimulatedApi;
  readonly files: MemoryFiles;
  readonly cgroups: MemoryCgroups;
  readonly manifests: ManifestDisk;
  readonly limits: LaneLimits;
  readonly node?: NodeSettings;
  /** The node's memory and disk. `undefined`: plenty of both. */
  readonly figures?: SimulatedFigures;
  readonly traps: Traps;
  readonly switches: Switches;
  /** Called with every new incarnation. */
  readonly born: (context: Pick<ActorContext, 'address' | 'incarnation'>) => void;
  /** Called with every call that the gateway receives. */
  readonly asked: (call: Extract<CriGatewayQuestion, { type: 'call' }>) => void;
  /** Called with the answer to each call of a pod's worker. */
  readonly answered: (podUid: string, outcome: CriOutcome<Uint8Array>) => void;
  /** Called with every message to the status manager, before it is handled. */
  readonly told: (command: StatusManagerProtocol['command']) => void;
  /** Called with every incarnation of the health monitor. */
  readonly monitored?: (monitor: HealthMonitor) => void;
  /** Volumes on a real disk. `undefined`: in memory. */
  readonly carryOut?: (orders: readonly VolumeOrder[]) => Promise<readonly VolumeOutcome[]>;
}

/** Short, so that unanswered calls end before the final check. */
const REQUEST_TIMEOUT_MS = 30_000;
const API_CALL_MS = 10_000;
export const CRASH_LOOP_MAX_MS = 60_000;

const usualNode: NodeSettings = { nodeName: NODE_NAME, syncFrequencyMs: 60_000, crashLoopMaxMs: CRASH_LOOP_MAX_MS };

export const ROOT_DIR = '/var/lib/hivelet';

const nodeFactsOf = (node: NodeSettings): NodeFacts => ({
  nodeName: node.nodeName,
  nodeIps: [],
  rootDir: ROOT_DIR,
  podLogsDir: '/var/log/pods',
  clusterDNS: node.clusterDNS ?? [],
  clusterDomain: 'cluster.local',
  resolvConf: 'nameserver 192.0.2.53\n',
  cgroupDriver: 'cgroupfs',
  cgroupRoot: '/',
  cgroupsPerQos: true,
  managesCgroups: true,
  cgroupVersion: 2,
  cpuCfsQuota: true,
  cpuCfsQuotaPeriodMicroseconds: 100_000n,
  singleProcessOOMKill: false,
  memoryCapacityBytes: 8n * 1024n ** 3n,
  allocatable: { cpu: '8', memory: '8Gi', pods: '500' },
  swap: { controller: 'absent', behavior: 'NoSwap', capacityBytes: 0n },
  hugePageSizes: [],
  seccompDefault: false,
  thermalThrottlePaths: [],
  ...node.facts,
});

/** The node facts for admission until the Node has been read. */
const unknownNode = (name: string): AdmissionNode => ({
  name,
  labels: {},
  os: 'linux',
  allocatable: {},
  taints: [],
  strictSupplementalGroups: true,
});

/** The time for which a pressure condition outlasts the pressure on a simulated node. */
export const TRANSITION_MS = 60_000;

const SIMULATED_THRESHOLDS = thresholdsOf({
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
    'imagefs.available': '15%',
    'pid.available': '1k',
  },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '1m' },
  evictionMinimumReclaim: { 'nodefs.available': '2%' },
  enforceNodeAllocatable: [],
});

const noIptables: Iptables = { run: () => Promise.resolve({ code: undefined, text: 'no iptables' }) };

const noMetrics = { observe() {}, relistStarted() {}, relistEnded() {}, relisted() {}, heldBy() {}, podInspected() {} };

/** The agent's actors on one incarnation of a thread, with a simulated runtime, disk and clock. */
export function simulatedKinds(options: KindsOptions, life: ThreadLife): Readonly<Record<string, ActorKind>> {
  const { tree, runtime, files, manifests, limits, switches, traps, time, node = usualNode } = options;
  const nodeFacts = nodeFactsOf(node);
  const { hostIp = '192.0.2.1' } = node;
  const podThreads = podThreadNames(tree);
  const placement = placementOf(tree);
  const figures = options.figures ?? plenty(() => time.now);
  const faultyDisk = life.faults.files(files);
  const soon = (run: () => void): void => void time.in(time.spread(0.2), life.owner, { label: 'file system', run });
  /** Wraps every actor with the traps, which may make it fail in the middle of a message. */
  const kind: MakeKind = <P extends Protocol>(
    capacity: number,
    make: (context: ActorContext<P>, init: never) => Actor<P>,
  ): ActorKind =>
    actorKind<P>({
      mailbox: { capacity },
      make: (context, init: never) => {
        options.born(context);
        return traps.around(context.address, make(context, init));
      },
    });
  // These objects outlive an incarnation of the gateway, as on a real thread.
  const gateway = {
    transport: life.faults.transport(runtime.transportFor(life)),
    underWay: new Map(),
    creations: new LatestCreations(),
    limits: node.pullsAtOnce === undefined ? limits : { ...limits, pull: node.pullsAtOnce },
    metrics: noMetrics,
    listeners: [PLEG, POD_MANAGER],
    podThreads,
  };
  const eventsOf = (context: Pick<ActorContext, 'ref' | 'clock' | 'log'>): RecordEvent =>
    options.api === undefined ? () => {} : eventRecorderClient(context);
  return {
    ...(options.api !== undefined &&
      simulatedApiKinds(options.api, life, { kind, nodeName: node.nodeName, hostIp, tree: options.tree })),
    'health-monitor': kind<HealthMonitorProtocol>(1_000, (context) => {
      const monitor = new HealthMonitor(context, { troubles: { add() {} }, changed() {} });
      options.monitored?.(monitor);
      return monitor;
    }),
    'job-pool': kind(10_000, () => new JobPool(jobsIn(life, options))),
    'cri-gateway': kind<CriGatewayProtocol>(100_000, (context) => {
      const made = new CriGateway(context, gateway);
      return {
        start: () => made.start(),
        stop: () => made.stop(),
        tell: (command) => made.tell(command),
        ask(question) {
          if (question.type === 'call') options.asked(question);
          return made.ask(switches.question(question));
        },
      };
    }),
    pleg: kind<PlegProtocol>(100_000, (context) => {
      const criBytes = criGatewayClient(context, REQUEST_TIMEOUT_MS);
      return new Pleg(context, { cri: criClient(criBytes), criBytes, metrics: noMetrics });
    }),
    'probe-manager': kind<ProbeManagerProtocol>(100_000, (context) => {
      const { clock: now } = context;
      return new ProbeManager(context, {
        runProbe: withoutNetwork({
          cri: criClient(criGatewayClient(context, REQUEST_TIMEOUT_MS)),
          clock: now,
          userAgent: '',
        }),
        results: new ResultsOnDisk({ files, rootDir: nodeFacts.rootDir }),
        metrics: { of: () => ({ count() {}, forget() {} }), forgetAll() {} },
        recordEvent: eventsOf(context),
        podThreads,
      });
    }),
    'stats-collector': kind<StatsCollectorProtocol>(
      1_000,
      (context) =>
        new StatsCollector(context, {
          host: bareHost,
          cri: criClient(criGatewayClient(context, REQUEST_TIMEOUT_MS)),
          node: nodeFacts,
          machine: bareMachine,
          walk: () => Promise.resolve([]),
          walkEveryMs: 60_000,
        }),
    ),
    'eviction-manager': kind<EvictionManagerProtocol>(1_000, (context) => {
      const volumes = context.ref(VOLUME_MANAGER);
      const measure = (run: () => void): void => void time.in(time.spread(2), life.owner, { label: 'figures', run });
      return new EvictionManager(context, {
        settings: {
          thresholds: SIMULATED_THRESHOLDS,
          transitionMs: TRANSITION_MS,
          maxPodGraceSeconds: 30,
          storageLimits: true,
        },
        nodeName: node.nodeName,
        figures: figures.for(measure),
        reclaim: figures.reclaim,
        async isTornDown(podUid) {
          return (await volumes.ask({ type: 'unmount-volumes', podUid }, { deadlineMs: 5_000 })).ok;
        },
        listeners: [POD_MANAGER, ...(options.api === undefined ? [] : [NODE_STATUS])],
        recordEvent: eventsOf(context),
        metrics: { evicted() {}, statsAge() {} },
        watchMemoryEveryMs: 0,
      });
    }),
    'status-manager': kind<StatusManagerProtocol>(100_000, (context) => {
      const made = new StatusManager(context, {
        podThreads,
        api: options.api && apiClient(apiGatewayClient(context, API_CALL_MS)),
      });
      return {
        start: () => made.start(),
        tell(command) {
          options.told(command);
          made.tell(command);
        },
        ask: (question) => made.ask(question),
      };
    }),
    'volume-manager': kind<VolumeManagerProtocol>(
      100_000,
      (context) =>
        new VolumeManager(context, {
          rootDir: nodeFacts.rootDir,
          objects: (caller) =>
            options.api === undefined ? noObjects : { ...volumeObjectsClient(caller, OBJECT_CACHE), ...noBundles },
          foreign: csiManagerClient,
          syncFrequencyMs: node.syncFrequencyMs,
          podThreads,
        }),
    ),
    // The simulation has no storage drivers.
    'csi-manager': kind<CsiManagerProtocol>(
      100_000,
      (context) =>
        new CsiManager(context, {
          place: { rootDir: nodeFacts.rootDir, nodeName: node.nodeName, files: new MemoryCsiFiles() },
          connections: () => Promise.reject(new Error('nobody is there')),
          objects: noStorageObjects,
          token: async () => ({ ok: false, message: 'no tokens here' }),
          sockets: () => Promise.resolve(new Map()),
          work: new KeyedWork(),
          inCluster: options.api !== undefined,
        }),
    ),
    'container-log-manager': kind<ContainerLogManagerProtocol>(
      100_000,
      (context) => new ContainerLogManager(context, simulatedLogs(context, { files, node: nodeFacts })),
    ),
    'image-manager': kind<ImageManagerProtocol>(
      100_000,
      (context) =>
        new ImageManager(context, {
          ...simulatedImages(context, { files: faultyDisk, node: nodeFacts }),
          ...node.images,
        }),
    ),
    'iptables-chains': kind<IptablesChainsProtocol>(
      100,
      (context) => new IptablesChains(context, { iptables: noIptables, makes: 'chains' }),
    ),
    'oom-watcher': kind<OomWatcherProtocol>(100, (context) => new OomWatcher(context, enoughMemory)),
    'garbage-collector': kind<GarbageCollectorProtocol>(
      100_000,
      (context) =>
        new GarbageCollector(
          context,
          simulatedTidying(context, { files: faultyDisk, node: nodeFacts, requestTimeoutMs: REQUEST_TIMEOUT_MS }),
        ),
    ),
    'container-manager': kind<ContainerManagerProtocol>(
      100_000,
      (context) =>
        new ContainerManager(context, {
          cgroups: options.cgroups,
          settings: { node: nodeFacts, podsAmounts: nodeFacts.allocatable, enforcesPods: true },
          recordEvent: () => {},
        }),
    ),
    'pod-manager': kind<PodManagerProtocol>(
      100_000,
      (context) =>
        new PodManager(context, {
          allocations: allocationsIn(ROOT_DIR, options.files),
          sources: options.api === undefined ? ['file'] : ['file', 'api'],
          ...(options.api !== undefined && {
            node: unknownNode(node.nodeName),
            server: serverReads(apiGatewayClient(context, API_CALL_MS), node.nodeName),
          }),
          ...(node.rules && { rules: node.rules }),
          recordEvent: eventsOf(context),
          podThreads,
          threadOf: (uid) => placement(`pod-worker/${uid}`),
          workerRule: switches.workerRule(tree.podWorker),
        }),
    ),
    'node-addresses': kind<NodeAddressesProtocol>(
      1_000,
      (context) =>
        new NodeAddresses(context, { host: simulatedAddresses(hostIp), nodeName: node.nodeName, nodeIps: [] }),
    ),
    // Without a URL the actor does nothing.
    'pod-source-http': kind<PodSourceHttpProtocol>(
      100,
      (context) =>
        new PodSourceHttp(context, {
          url: '',
          fetch: () => Promise.resolve({ ok: false, problem: 'there is no URL' }),
          nodeName: node.nodeName,
          pollEveryMs: 20_000,
        }),
    ),
    'pod-source-file': kind<PodSourceFileProtocol>(
      100_000,
      (context) =>
        new PodSourceFile(context, {
          folder: manifests.folderFor(soon),
          kept: manifests.kept,
          nodeName: node.nodeName,
          pollEveryMs: 20_000,
          recordEvent: eventsOf(context),
        }),
    ),
    'pod-worker': kind<PodWorkerProtocol>(1_000, (context, init: PodWorkerInit) => {
      const throughGateway = criGatewayClient(context, REQUEST_TIMEOUT_MS);
      return new PodWorker(switches.workerContext(context), {
        recordEvent: eventsOf(context),
        init: switches.workerInit(init),
        settings: {
          syncFrequencyMs: node.syncFrequencyMs,
          crashLoopMaxMs: node.crashLoopMaxMs,
        },
        tools: {
          node: nodeFacts,
          clock: context.clock,
          runtime: {
            cri: criClient(async (...call) => {
              const outcome = await throughGateway(...call);
              options.answered(init.podUid, outcome);
              return outcome;
            }),
            requestTimeoutMs: REQUEST_TIMEOUT_MS,
          },
          host: { files: faultyDisk, cgroups: options.cgroups, legacyLogsDir: undefined },
          httpGet: nobodyListens,
          volumes: volumeManagerClient(context),
          objects: options.api && objectCacheClient(context),
          images: imageManagerClient(context),
        },
      });
    }),
  };
}

function jobsIn(life: ThreadLife, { time, files, manifests, traps, carryOut }: KindsOptions) {
  return {
    run: (job: JobName, input: unknown): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (job === 'volumeOrders') {
          const orders = input as readonly VolumeOrder[];
          if (carryOut !== undefined) {
            // The virtual clock stands still during this work.
            const goOn = time.hold();
            void carryOut(orders).then(resolve, reject).finally(goOn);
            return;
          }
          const end = (): void =>
            traps.nextJobFails()
              ? reject(new Error('the job thread ended'))
              : resolve(orders.map((order) => carryOutInMemory(files, order)));
          time.in(time.spread(3), life.owner, { label: 'volumes', run: end });
          return;
        }
        // The request of the file source, which checks the type of the answer.
        const asked = input as readonly ManifestFile[];
        const run = (): void => {
          if (traps.nextJobFails()) return reject(new Error('the job thread ended'));
          const parsed = Promise.all(asked.map((file) => parseManifestFrom(manifests, file)));
          void parsed.then((outcomes) =>
            time.in(time.spread(3), life.owner, { label: 'parsed', run: () => resolve(outcomes) }),
          );
        };
        time.in(time.spread(3), life.owner, { label: 'parse', run });
      }),
    threads: () => [],
    close: () => Promise.resolve(),
    ended: () => Promise.resolve(),
  };
}
