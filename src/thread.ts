import { kindsOn, placementOf } from '../actors/tree.ts';
import type { ActorKind } from './actor/actor.ts';
import { systemClock } from './actor/clock.ts';
import { systemRandom } from './actor/random.ts';
import type { ThreadEnvironment } from './actor/host-control.ts';
import { serveThread } from './actor/serve-thread.ts';
import { treeFor } from './agent-api.ts';
import { ThreadMetrics, type ThreadConfig } from './actor-kinds-config.ts';
import { actorKinds } from './actor-kinds.ts';
import { keepCompiled } from './cli/compile-cache.ts';
import { makeLog } from './cli/logger.ts';
import { own, put } from './kube/own.ts';

await serveThread(async ({ thread, config }): Promise<ThreadEnvironment> => {
  // Written by the agent's main thread, which starts every thread with exactly this.
  const { settings, node } = config as ThreadConfig;
  const tree = treeFor(settings);
  const metrics = new ThreadMetrics();
  const log = makeLog({ ...settings.log, bindings: { thread } });
  // An agent that nothing may be done to has no seams either, nor their code.
  const seams = settings.faultInjection ? await import('./agent-thread-faults.ts') : undefined;
  const faults = seams?.faultsOfThread(thread, systemClock);
  const kinds: Record<string, ActorKind> = {};
  for (const kind of kindsOn(tree, thread)) {
    const load = own(actorKinds, kind);
    if (load === undefined) throw new Error(`nothing is known of actors of kind ${kind}`);
    put(kinds, kind, await load({ settings, node, faults, log }, metrics));
  }
  return {
    kinds,
    placement: placementOf(tree),
    clock: faults?.clock ?? systemClock,
    random: systemRandom,
    log,
    keepCompiled,
    setVerbosity: (verbosity) => log.setVerbosity(verbosity),
    metrics: () => metrics.text(),
    ...(seams && faults && { faults: (plan: unknown) => faults.apply(seams.ordersOf(plan)) }),
  };
});
