import type { ActorKind } from '../actor/actor.ts';
import { isCrash, type SupervisorReport } from '../actor/child.ts';
import { systemClock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { threadMemory, tidyAlone, tidyMemoryAtRest } from '../actor/memory-at-rest.ts';
import { systemRandom } from '../actor/random.ts';
import { ThreadHost } from '../actor/thread-host.ts';
import { ThreadSupervisor } from '../actor/thread-supervisor.ts';
import { workerThreads } from '../actor/worker-thread.ts';
import type { NodeFacts } from '../node/node-facts.ts';
import { readNodeFacts } from '../node/read-node-facts.ts';
import { programUrl } from '../package-root.ts';
import type { KindEnvironment, ThreadConfig, ThreadsOfAgent } from './kind.ts';
import { kindsOf } from './kinds-on-thread.ts';
import type { AdjustableLog } from './logger.ts';
import { prepareHost } from './prepare-host.ts';
import type { AgentSettings } from './settings.ts';
import { cgroupsOf, cgroupUse } from './thread-cgroups.ts';
import { ThreadMetrics } from './thread-metrics.ts';
import { keepCompiledInTurn } from './threads.ts';
import { MAIN_THREAD, placementOf, podThreadNames, type Tree } from './tree.ts';

/** The supervision tree of an agent, at work in this process. */
export interface RunningTree {
  readonly tree: Tree;
  /** Of the main thread. */
  readonly host: ThreadHost;
  readonly supervisor: ThreadSupervisor;
  /** Resolves with the reason when the agent cannot go on. */
  readonly failed: Promise<string>;
  /** Has every thread write down what it has compiled, one after the other. */
  keepCompiled(): Promise<void>;
  /** Stops actors in order. Containers run on. */
  stop(): Promise<void>;
}

/** A thread that does not answer for this long is replaced. */
const HEARTBEAT_BUDGET_MS = 10_000;

/** The main thread's log; one without `setVerbosity` goes on as it is. */
export type MainLog = Log & Partial<Pick<AdjustableLog, 'setVerbosity'>>;

/** Starts all threads and actors of a tree. Rejects when a thread dies before everything runs. */
export async function startTree(tree: Tree, settings: AgentSettings, log: MainLog): Promise<RunningTree> {
  tidyAlone();
  const failed = Promise.withResolvers<string>();
  const report = (end: SupervisorReport): void => {
    if (isCrash(end)) log.error(end, 'crashed');
  };
  const { manages, problem } = cgroupUse(settings);
  if (problem !== undefined) log.warn({}, problem);
  const node: NodeFacts = { ...readNodeFacts(settings, settings.config), managesCgroups: manages };
  const config: ThreadConfig = { settings, node };
  const threads: ThreadsOfAgent = {
    metrics: () => supervisor.metrics(),
    threadNames: () => supervisor.threadNames(),
    thread: (name) => supervisor.thread(name),
    async setVerbosity(verbosity) {
      log.setVerbosity?.(verbosity);
      await supervisor.setVerbosity(verbosity);
    },
  };
  const environment: KindEnvironment = {
    ...config,
    tree,
    faults: undefined,
    log,
    metrics: new ThreadMetrics(),
    threads,
  };
  const kinds: Readonly<Record<string, ActorKind>> = await kindsOf(MAIN_THREAD, environment);
  const mainHost = new ThreadHost({
    thread: MAIN_THREAD,
    life: 1,
    kinds,
    placement: placementOf(tree),
    clock: systemClock,
    random: systemRandom,
    log,
    report,
    escalate: (child, reason) => failed.resolve(`${child} could not be kept alive: ${reason}`),
  });
  if (manages) await prepareHost(settings, { log, cgroups: await cgroupsOf({ node, log }) });
  const supervisor: ThreadSupervisor = new ThreadSupervisor({
    threads: tree.threads,
    maker: workerThreads(programUrl('thread')),
    config,
    mainHost,
    clock: systemClock,
    random: systemRandom,
    log,
    heartbeatBudgetMs: HEARTBEAT_BUDGET_MS,
    report,
    giveUp: failed.resolve,
  });
  for (const child of tree.main) await mainHost.startActor(child);
  await supervisor.start();
  const leaveMemory = tidyMemoryAtRest(threadMemory(systemClock));
  return {
    tree,
    host: mainHost,
    supervisor,
    failed: failed.promise,
    keepCompiled: () => keepCompiledInTurn(supervisor, podThreadNames(tree).slice(1)),
    async stop() {
      leaveMemory();
      await supervisor.stop();
      for (const child of tree.main.toReversed()) await mainHost.stopActor(child.address);
    },
  };
}
