import type { Caller } from '../actors/cri-gateway/client.ts';
import { eventsThroughRecorder, eventsToLog } from '../actors/event-recorder/client.ts';
import type { EvictionFigures } from '../actors/eviction-manager/actor.ts';
import type { EvictionManagerProtocol } from '../actors/eviction-manager/protocol.ts';
import { STATS_COLLECTOR, type StatsCollectorProtocol } from '../actors/stats-collector/protocol.ts';
import { VOLUME_MANAGER, type VolumeManagerProtocol } from '../actors/volume-manager/protocol.ts';
import { actorKind, type ActorContext, type ActorKind } from './actor/actor.ts';
import { ActorFault } from './actor/fault.ts';
import type { Address } from './actor/message.ts';
import type { KindConfig, ThreadMetrics } from './agent/kind.ts';
import { apiUse, treeFor } from './agent/api-settings.ts';
import type { AgentSettings } from './agent/agent.ts';
import { gatesOf } from './config/feature-gates.ts';
import { fileSystemsOf, type ReclaimStep } from './node/eviction/file-systems.ts';

/** Of the garbage collector. Where the tree has none, the node frees nothing by itself. */
interface CollectorProtocol {
  readonly command: never;
  readonly question: { readonly type: ReclaimStep };
  readonly answers: Readonly<Record<ReclaimStep, unknown>>;
}

const GARBAGE_COLLECTOR: Address = 'garbage-collector';
const FIGURES_WITHIN_MS = 10_000;
/** Nobody fills a disk unseen for longer than this: as long as between two looks at the node. */
const WALKED_LATELY_MS = 10_000;
const WALKED_FIGURES_WITHIN_MS = 20_000;
const RECLAIM_WITHIN_MS = 30_000;
const TORN_DOWN_WITHIN_MS = 5_000;
const WATCH_MEMORY_EVERY_MS = 1_000;

/** The actor that keeps the node from running out of memory and disk. */
export async function evictionManagerKind(config: KindConfig, metrics: ThreadMetrics): Promise<ActorKind> {
  const { EvictionManager } = await import('../actors/eviction-manager/actor.ts');
  const { evictionMetrics } = await import('../actors/eviction-manager/metrics.ts');
  const { overruledSignals, thresholdsOf } = await import('./node/eviction/thresholds.ts');
  const { settings, log } = config;
  const { nodeName, config: kubelet } = settings;
  const thresholds = thresholdsOf(kubelet);
  for (const signal of overruledSignals(thresholds)) {
    log.warn({ signal }, 'a threshold on this signal counts for nothing: it is taken from nodefs or imagefs');
  }
  const counted = evictionMetrics(await metrics.registry());
  const api = apiUse(settings) === 'api';
  const { threads } = treeFor(settings);
  const isThere = (actor: Address): boolean =>
    threads.some(({ actors }) => actors.some(({ address }) => address === actor));
  return actorKind<EvictionManagerProtocol>({
    mailbox: { capacity: 1_000 },
    make: (context) =>
      new EvictionManager(context, {
        settings: {
          thresholds,
          transitionMs: kubelet.evictionPressureTransitionPeriod,
          maxPodGraceSeconds: kubelet.evictionMaxPodGracePeriod,
          storageLimits: kubelet.localStorageCapacityIsolation,
        },
        nodeName,
        figures: figuresThroughCollector(config, context),
        reclaim: isThere(GARBAGE_COLLECTOR) ? reclaimThroughCollector(context) : {},
        async isTornDown(podUid) {
          const manager = context.ref<VolumeManagerProtocol>(VOLUME_MANAGER);
          const answer = await manager.ask({ type: 'unmount-volumes', podUid }, { deadlineMs: TORN_DOWN_WITHIN_MS });
          return answer.ok;
        },
        listeners: ['pod-manager', ...(api ? ['node-status'] : [])],
        recordEvent: api ? eventsThroughRecorder(context) : eventsToLog(context),
        metrics: counted,
        watchMemoryEveryMs: kubelet.kernelMemcgNotification ? WATCH_MEMORY_EVERY_MS : 0,
      }),
  });
}

function reclaimThroughCollector(
  context: Pick<ActorContext, 'ref'>,
): Readonly<Record<ReclaimStep, () => Promise<void>>> {
  const collector = context.ref<CollectorProtocol>(GARBAGE_COLLECTOR);
  const step = (type: ReclaimStep) => async (): Promise<void> => {
    await collector.ask({ type }, { deadlineMs: RECLAIM_WITHIN_MS });
  };
  return {
    'delete-unused-containers': step('delete-unused-containers'),
    'delete-unused-images': step('delete-unused-images'),
  };
}

/** Measured for each question: an eviction by old figures would be one too many. */
function figuresThroughCollector({ settings }: KindConfig, context: Caller): EvictionFigures {
  const collector = context.ref<StatsCollectorProtocol>(STATS_COLLECTOR);
  const within = { deadlineMs: FIGURES_WITHIN_MS };
  return {
    node: () => collector.ask({ type: 'node-stats', maxAgeMs: 0 }, within),
    memory: () => collector.ask({ type: 'node-memory' }, within),
    async pods(uids, files) {
      const figures = await collector.ask(
        {
          type: 'pod-stats',
          maxAgeMs: 0,
          of: uids,
          ...(files === 'walked-lately' && { walkedWithinMs: WALKED_LATELY_MS }),
        },
        { deadlineMs: files === 'walked-lately' ? WALKED_FIGURES_WITHIN_MS : FIGURES_WITHIN_MS },
      );
      if (figures === undefined) throw new ActorFault('deadline-exceeded', 'the runtime has no figures of pods');
      return figures;
    },
    fileSystems: async () => fileSystemsOf(await collector.ask({ type: 'disk-devices' }, within), mayBeSplit(settings)),
  };
}

const mayBeSplit = ({ config }: AgentSettings): boolean => gatesOf(config)('KubeletSeparateDiskGC');
