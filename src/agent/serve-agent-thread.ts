import { systemClock } from '../actor/clock.ts';
import type { ThreadEnvironment } from '../actor/threads/host-control.ts';
import { systemRandom } from '../actor/random.ts';
import { serveThread } from '../actor/threads/serve-thread.ts';
import { MetricFamilies } from '../metrics/metric-families.ts';
import { keepCompiled } from './compile-cache.ts';
import type { ThreadConfig } from './kind.ts';
import { kindsOf, treeFor, type MakeTree } from './kinds-on-thread.ts';
import { makeLog } from './logger.ts';
import { placementOf } from './tree.ts';

/** Serves one worker thread of the agent, from its first message to its end. */
export const serveAgentThread = (makeTree: MakeTree): Promise<void> =>
  serveThread(async ({ thread, config }): Promise<ThreadEnvironment> => {
    // The agent's main thread starts every thread with exactly this data.
    const { settings, node } = config as ThreadConfig;
    const tree = treeFor(settings, makeTree);
    const metrics = new MetricFamilies();
    const log = makeLog({ ...settings.log, bindings: { thread } });
    // An agent without fault injection has no seams and does not load their code.
    const seams = settings.faultInjection ? await import('./thread-faults.ts') : undefined;
    const faults = seams?.faultsOfThread(thread, systemClock);
    return {
      kinds: await kindsOf(thread, tree.kinds, { settings, node, tree, faults, log, metrics }),
      placement: placementOf(tree),
      clock: faults?.clock ?? systemClock,
      random: systemRandom,
      log,
      keepCompiled,
      setVerbosity: (verbosity) => log.setVerbosity(verbosity),
      metrics: () => Promise.resolve(metrics.text()),
      ...(seams && faults && { faults: (plan: unknown) => faults.apply(seams.ordersOf(plan)) }),
    };
  });
