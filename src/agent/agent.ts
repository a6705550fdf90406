import type { ActorKind } from '../actor/actor.ts';
import { isCrash, type SupervisorReport } from '../actor/supervision/child.ts';
import { systemClock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { threadMemory, tidyAlone, tidyMemoryAtRest } from '../actor/threads/memory-at-rest.ts';
import { systemRandom } from '../actor/random.ts';
import { ThreadHost } from '../actor/thread-host.ts';
import { ThreadSupervisor } from '../actor/threads/thread-supervisor.ts';
import { workerThreads } from '../actor/threads/worker-thread.ts';
import { dataDirectories, makeDataDirectories } from '../host/data-directories.ts';
import { hostReader } from '../host/host-reader.ts';
import { processMetricsText } from '../host/process/process-figures.ts';
import type { NodeFacts } from '../node/object/node-facts.ts';
import { readNodeFacts } from './read-node-facts.ts';
import { programUrl } from '../package-root.ts';
import type { HelperThreads, KindEnvironment, ThreadConfig, ThreadsOfAgent } from './kind.ts';
import { kindsOf, type AgentTree } from './kinds-on-thread.ts';
import type { AdjustableLog } from './logger.ts';
import { prepareHost } from './prepare-host.ts';
import type { AgentSettings } from './settings.ts';
import { cgroupsOf, cgroupUse } from './thread-cgroups.ts';
import { MetricFamilies } from '../metrics/metric-families.ts';
import { agentMemoryText, boundAgentMemory } from './memory.ts';
import { holdingThreads, keepCompiledInTurn } from './threads.ts';
import { MAIN_THREAD, placementOf, podThreadNames } from './tree.ts';

/** The running supervision tree of an agent in this process. */
export interface RunningTree {
  readonly tree: AgentTree;
  /** The log of the main thread. */
  readonly host: ThreadHost;
  readonly supervisor: ThreadSupervisor;
  /** Resolves with the reason when the agent cannot continue. */
  readonly failed: Promise<string>;
  /** Makes every thread store its compiled code, one after the other. */
  keepCompiled(): Promise<void>;
  /** Returns Prometheus text of all threads and of the process. */
  metrics(): Promise<string>;
  /** Stops actors in order. Containers keep running. */
  stop(): Promise<void>;
  /** Ends all threads at once. Stays pending while a thread waits for the kernel. */
  endThreads(): Promise<void>;
}

/** A thread that does not answer for this long is replaced. */
const HEARTBEAT_BUDGET_MS = 10_000;

/** The main thread's log. A log without `setVerbosity` keeps its verbosity. */
export type MainLog = Log & Partial<Pick<AdjustableLog, 'setVerbosity'>>;

/** Ends this process, whose agent exceeds its memory limit. `hanging`: one of its threads could not be ended. */
export type OverMemoryLimit = (threads: 'ended' | 'hanging') => void;

export interface TreeRun {
  readonly settings: AgentSettings;
  readonly log: MainLog;
  /** `undefined` when the agent has no memory limit of its own. */
  readonly overMemoryLimit?: OverMemoryLimit | undefined;
}

/** Starts all threads and actors of a tree. Rejects when a thread dies before everything runs. */
export async function startTree(tree: AgentTree, { settings, log, overMemoryLimit }: TreeRun): Promise<RunningTree> {
  tidyAlone();
  makeDataDirectories(dataDirectories(settings.rootDir, settings.config.podLogsDir));
  const failed = Promise.withResolvers<string>();
  const report = (end: SupervisorReport): void => {
    if (isCrash(end)) log.error(end, 'crashed');
  };
  const { manages, problem } = cgroupUse(settings);
  if (problem !== undefined) log.warn({}, problem);
  const node: NodeFacts = { ...readNodeFacts(settings, settings.config), managesCgroups: manages };
  const config: ThreadConfig = { settings, node };
  const helpers: HelperThreads[] = [];
  const metrics = async (): Promise<string> =>
    (await supervisor.metrics()) +
    agentMemoryText(resident(), settings.memoryLimitBytes) +
    processMetricsText({ host: hostReader, residentBytes: resident(), startedAtMs: performance.timeOrigin });
  const threads: ThreadsOfAgent = {
    metrics,
    watch: (each) => void helpers.push(each),
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
    metrics: new MetricFamilies(),
    threads,
  };
  const kinds: Readonly<Record<string, ActorKind>> = await kindsOf(MAIN_THREAD, tree.kinds, environment);
  const mainHost = new ThreadHost({
    thread: MAIN_THREAD,
    life: 1,
    kinds,
    placement: placementOf(tree),
    clock: systemClock,
    random: systemRandom,
    log,
    report,
    escalate: (child, reason) => failed.resolve(`${child} crashed too often: ${reason}`),
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
  const holding = holdingThreads(mainHost, supervisor, helpers);
  const leaveBound =
    settings.memoryLimitBytes === undefined || overMemoryLimit === undefined
      ? () => {}
      : boundAgentMemory({
          limitBytes: settings.memoryLimitBytes,
          clock: systemClock,
          log,
          resident,
          threads: holding,
          end: overMemoryLimit,
        });
  for (const child of tree.main) await mainHost.startActor(child);
  await supervisor.start();
  const leaveMemory = tidyMemoryAtRest(threadMemory(systemClock));
  return {
    tree,
    host: mainHost,
    supervisor,
    failed: failed.promise,
    metrics,
    keepCompiled: () => keepCompiledInTurn(supervisor, podThreadNames(tree).slice(1)),
    async stop() {
      leaveMemory();
      leaveBound();
      await supervisor.stop();
      for (const child of tree.main.toReversed()) await mainHost.stopActor(child.address);
    },
    endThreads: () => holding.terminate(),
  };
}

const resident = (): number => process.memoryUsage.rss();
