import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import { ActorFault } from '../../src/actor/fault.ts';
import { presentIn } from '../../src/agent/tree.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import { fileSystemsOf, type ReclaimStep } from '../../src/node/eviction/file-systems.ts';
import { overruledSignals, thresholdsOf } from '../../src/node/eviction/thresholds.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { GARBAGE_COLLECTOR } from '../garbage-collector/protocol.ts';
import { STATS_COLLECTOR } from '../stats-collector/protocol.ts';
import { VOLUME_MANAGER } from '../volume-manager/protocol.ts';
import { EvictionManager, type EvictionFigures } from './actor.ts';
import { evictionMetrics } from './metrics.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import type { EvictionManagerProtocol, PressuresObserved } from './protocol.ts';

const FIGURES_WITHIN_MS = 10_000;
/** The longest time that a disk may fill unseen: as long as between two observations of the node. */
const WALKED_LATELY_MS = 10_000;
const WALKED_FIGURES_WITHIN_MS = 20_000;
const RECLAIM_WITHIN_MS = 30_000;
const TORN_DOWN_WITHIN_MS = 5_000;
const WATCH_MEMORY_EVERY_MS = 1_000;

/** The actors that receive changes of the node's pressures. */
const pressureListeners: readonly AddressOf<Listener<PressuresObserved>>[] = [POD_MANAGER, NODE_STATUS];

/** Keeps the node from running out of memory, disk and process IDs. */
export const kind = agentKind<EvictionManagerProtocol>({
  runsOn: 'probes',
  standsOn: [STATS_COLLECTOR],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'candidates-found': true,
    'eviction-answered': true,
    'leftovers-found': true,
    'pass-due': true,
    'signals-observed': true,
    'memory-low': true,
    'node-pressures': true,
    reclaimed: true,
    'report-pressures': true,
    resumed: true,
  },
  async make({ settings, tree, log, metrics }) {
    const { nodeName, config } = settings;
    const thresholds = thresholdsOf(config);
    for (const signal of overruledSignals(thresholds)) {
      log.warn({ signal }, 'ignoring the eviction threshold on this signal: the disk is judged by nodefs and imagefs');
    }
    const counted = evictionMetrics(metrics);
    const listeners = presentIn(tree, pressureListeners);
    return (context) =>
      new EvictionManager(context, {
        settings: {
          thresholds,
          transitionMs: config.evictionPressureTransitionPeriod,
          maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
          storageLimits: config.localStorageCapacityIsolation,
        },
        nodeName,
        figures: statsCollectorClient(context, gatesOf(config)('KubeletSeparateDiskGC')),
        reclaim: garbageCollectorClient(context),
        async isTornDown(podUid) {
          const manager = context.ref(VOLUME_MANAGER);
          const answer = await manager.ask({ type: 'unmount-volumes', podUid }, { deadlineMs: TORN_DOWN_WITHIN_MS });
          return answer.ok;
        },
        listeners,
        recordEvent: eventsOf(context, settings),
        metrics: counted,
        watchMemoryEveryMs: config.kernelMemcgNotification ? WATCH_MEMORY_EVERY_MS : 0,
      });
  },
});

function garbageCollectorClient(
  context: Pick<ActorContext, 'ref'>,
): Readonly<Record<ReclaimStep, () => Promise<void>>> {
  const collector = context.ref(GARBAGE_COLLECTOR);
  const step = (type: ReclaimStep) => async (): Promise<void> => {
    await collector.ask({ type }, { deadlineMs: RECLAIM_WITHIN_MS });
  };
  return {
    'delete-unused-containers': step('delete-unused-containers'),
    'delete-unused-images': step('delete-unused-images'),
  };
}

/** Measured for each question: outdated figures would cause needless evictions. */
function statsCollectorClient(context: Pick<ActorContext, 'ref'>, mayBeSplit: boolean): EvictionFigures {
  const collector = context.ref(STATS_COLLECTOR);
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
      if (figures === undefined) throw new ActorFault('deadline-exceeded', 'the runtime reports no figures of pods');
      return figures;
    },
    fileSystems: async () => fileSystemsOf(await collector.ask({ type: 'disk-devices' }, within), mayBeSplit),
  };
}
