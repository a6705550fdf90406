import { fileURLToPath } from 'node:url';
import { CRI_GATEWAY, type CriGatewayProtocol } from '../actors/cri-gateway/protocol.ts';
import { JobPool } from '../actors/job-pool/actor.ts';
import { jobThreads } from '../actors/job-pool/job-threads.ts';
import { NodeMetrics } from '../actors/node-metrics/actor.ts';
import { POD_MANAGER, type PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import { STATUS_MANAGER, type StatusManagerProtocol } from '../actors/status-manager/protocol.ts';
import { MAIN_THREAD, placementOf, podThreadNames, type Profile } from '../actors/tree.ts';
import { isCrash, type SupervisorReport } from './actor/child.ts';
import { systemClock } from './actor/clock.ts';
import type { Log } from './actor/log.ts';
import { systemRandom } from './actor/random.ts';
import { ThreadHost } from './actor/thread-host.ts';
import { threadMemory, tidyAlone, tidyMemoryAtRest } from './actor/memory-at-rest.ts';
import { threadMeter } from './actor/thread-meter.ts';
import { ThreadSupervisor } from './actor/thread-supervisor.ts';
import { workerThreads } from './actor/worker-thread.ts';
import { addressOf, agentFaults } from './agent-faults.ts';
import type { AdminBackend, RuntimeInfo } from './admin/admin-backend.ts';
import type { AdjustableLog, LogSettings } from './cli/logger.ts';
import type { DeadContainersKept } from './config/kubelet-options.ts';
import type { CredentialProvider } from './images/credential-provider-config.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import { podUid } from './kube/ids.ts';
import type { Pod } from './kube/pod.ts';
import { boundAgentMemory, agentMemoryText } from './agent-memory.ts';
import { holdingThreads, keepCompiledInTurn, threadsOf } from './agent-threads.ts';
import { dataDirectories, makeDataDirectories } from './node/data-directories.ts';
import { readNodeFacts } from './node/read-node-facts.ts';
import { siblingUrl } from './sibling-url.ts';
import { treeFor, type ApiSettings } from './agent-api.ts';
import { cgroupsOf, cgroupUse } from './agent-cgroups.ts';
import { prepareHost } from './agent-host.ts';
import type { NodeFacts } from './node/node-facts.ts';
import type { NodeOptions } from './agent-node.ts';
import type { ThreadConfig } from './actor-kinds-config.ts';

/** What an agent is started with. Plain data: every thread gets the same. */
export interface AgentSettings {
  readonly nodeName: string;
  readonly rootDir: string;
  readonly config: KubeletConfiguration;
  readonly runtimeEndpoint: string;
  readonly imageEndpoint: string;
  /** Absent: standalone, with static pods only. */
  readonly api?: ApiSettings;
  /** What flags say of the node; without it, nothing. */
  readonly nodeOptions?: NodeOptions;
  /** What is kept of containers that have ended; absent: the newest of each. */
  readonly deadContainers?: DeadContainersKept;
  /** Who knows logins of registries, and where their programs are. */
  readonly credentialProviders?: { readonly providers: readonly CredentialProvider[]; readonly binDir: string };
  /** Containers run nothing, so that no cgroup is needed for them. */
  readonly simulatedContainers?: boolean;
  /** Without an API server the node has a server only where somebody asks for one. */
  readonly serves?: boolean;
  /** A folder of ConfigMaps and Secrets for static pods, where there is no API server. */
  readonly objectsDir?: string;
  /** The flags that it was started with, for whoever asks for them. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly profile: Profile;
  readonly verbosity: number;
  /** Whether actors and threads may be made to fail from outside. */
  readonly faultInjection: boolean;
  /** Memory that the process may hold, in bytes; above that it ends. Absent: as much as the machine has. */
  readonly memoryLimitBytes?: number;
  /** How each thread writes its log. */
  readonly log: LogSettings;
}

export interface RunningAgent {
  readonly admin: AdminBackend;
  /** Resolves with the reason when the agent cannot go on. */
  readonly failed: Promise<string>;
  /** Has every thread write down what it has compiled, one after the other. */
  keepCompiled(): Promise<void>;
  /** Stops actors in order. `stop`: the pods go first, with their grace periods. `keep`: they run on. */
  stop(options: { readonly pods: 'keep' | 'stop' }): Promise<void>;
}

/** A thread that does not answer for this long is replaced. */
const HEARTBEAT_BUDGET_MS = 10_000;
const ASK_WITHIN = { deadlineMs: 10_000 };
/** Most of them wait for a mount, which another program makes. */
const VOLUME_ORDERS_AT_ONCE = 64;
/**
 * How long jobs may take. Each is shorter than the deadline of those who ask, so that they learn why there is no answer.
 * Fifty ordinary manifests take some 50 ms; mounts have 120 s each; a pod with a million files is walked in 100 s.
 */
const PARSED_WITHIN_MS = 10_000;
const VOLUME_ORDERS_WITHIN_MS = 290_000;
const WALKED_WITHIN_MS = 115_000;
const PARSING_HEAP_MB = 512;
/** Longer than any pod's grace period that is worth waiting for when a user has asked for an end. */
const PODS_GONE_WITHIN_MS = 600_000;

/** The main thread's log; one that cannot be told to say more goes on as it is. */
export type MainLog = Log & Partial<Pick<AdjustableLog, 'setVerbosity'>>;

/** Ends this process, whose agent holds more memory than it may. `hanging`: a thread of it could not be ended. */
export type Outgrown = (threads: 'ended' | 'hanging') => void;

/** Starts the whole agent in this process. Rejects when a thread dies before everything runs. */
export async function startAgent(settings: AgentSettings, log: MainLog, outgrown?: Outgrown): Promise<RunningAgent> {
  const tree = treeFor(settings);
  tidyAlone();
  makeDataDirectories(dataDirectories(settings.rootDir, settings.config.podLogsDir));
  const failed = Promise.withResolvers<string>();
  const jobFile = (name: string): string => fileURLToPath(siblingUrl(import.meta.url, `./jobs/${name}`));
  const parsing = { atOncePerThread: 1, withinMs: PARSED_WITHIN_MS, heapMb: PARSING_HEAP_MB };
  const jobs = jobThreads(
    {
      parseManifests: { file: jobFile('parse-manifest'), ...parsing },
      parsePodList: { file: jobFile('parse-pod-list'), ...parsing },
      volumeOrders: {
        file: jobFile('volume-orders'),
        atOncePerThread: VOLUME_ORDERS_AT_ONCE,
        withinMs: VOLUME_ORDERS_WITHIN_MS,
      },
      walkPods: { file: jobFile('walk-pods'), atOncePerThread: 1, withinMs: WALKED_WITHIN_MS },
    },
    { clock: systemClock, log },
  );
  const report = (end: SupervisorReport): void => {
    if (isCrash(end)) log.error(end, 'crashed');
  };
  const mainHost = new ThreadHost({
    thread: MAIN_THREAD,
    life: 1,
    kinds: {
      'job-pool': { make: () => new JobPool(jobs), mailbox: { capacity: 10_000 } },
      'node-metrics': {
        make: () => new NodeMetrics(threadsOf(() => supervisor, { log, processText: () => memoryText(settings) })),
        mailbox: { capacity: 100 },
      },
    },
    placement: placementOf(tree),
    clock: systemClock,
    random: systemRandom,
    log,
    report,
    escalate: (child, reason) => failed.resolve(`${child} could not be kept alive: ${reason}`),
  });
  const { manages, problem } = cgroupUse(settings);
  if (problem !== undefined) log.warn({}, problem);
  const node: NodeFacts = { ...readNodeFacts(settings, settings.config), managesCgroups: manages };
  const config: ThreadConfig = { settings, node };
  if (manages) await prepareHost(settings, { log, cgroups: await cgroupsOf({ node, log }) });
  const supervisor = new ThreadSupervisor({
    threads: tree.threads,
    maker: workerThreads(siblingUrl(import.meta.url, './thread')),
    config,
    mainHost,
    clock: systemClock,
    random: systemRandom,
    log,
    heartbeatBudgetMs: HEARTBEAT_BUDGET_MS,
    report,
    giveUp: failed.resolve,
  });
  const leaveBound =
    settings.memoryLimitBytes === undefined || outgrown === undefined
      ? () => {}
      : boundAgentMemory({
          limitBytes: settings.memoryLimitBytes,
          clock: systemClock,
          log,
          resident,
          threads: holdingThreads(mainHost, supervisor, jobs),
          end: outgrown,
        });
  for (const child of tree.main) await mainHost.startActor(child);
  await supervisor.start();
  const leaveMemory = tidyMemoryAtRest(threadMemory(systemClock));
  return {
    admin: adminBackend(mainHost, supervisor, { settings, log }),
    failed: failed.promise,
    keepCompiled: () => keepCompiledInTurn(supervisor, podThreadNames(tree).slice(1)),
    async stop({ pods }) {
      leaveMemory();
      leaveBound();
      if (pods === 'stop') {
        await mainHost
          .ref<PodManagerProtocol>(POD_MANAGER)
          .ask({ type: 'take-all-away' }, { deadlineMs: PODS_GONE_WITHIN_MS });
      }
      await supervisor.stop();
      for (const child of tree.main.toReversed()) await mainHost.stopActor(child.address);
      await jobs.close();
    },
  };
}

const resident = (): number => process.memoryUsage.rss();

const memoryText = ({ memoryLimitBytes }: AgentSettings): string => agentMemoryText(resident(), memoryLimitBytes);

function adminBackend(
  host: ThreadHost,
  supervisor: ThreadSupervisor,
  { settings, log }: { readonly settings: AgentSettings; readonly log: Log },
): AdminBackend {
  const manager = host.ref<PodManagerProtocol>(POD_MANAGER);
  const statuses = host.ref<StatusManagerProtocol>(STATUS_MANAGER);
  const gateway = host.ref<CriGatewayProtocol>(CRI_GATEWAY);
  const mainFigures = threadMeter(host);
  const wanted = (): Promise<readonly Pod[]> => manager.ask({ type: 'all-pods' }, ASK_WITHIN);
  const faults = agentFaults({
    tree: treeFor(settings),
    host,
    supervisor,
    clock: systemClock,
    log,
    pods: wanted,
  });
  return {
    async pods() {
      const [pods, all] = await Promise.all([wanted(), statuses.ask({ type: 'all-statuses' }, ASK_WITHIN)]);
      return pods.map((pod): Pod => {
        const status = all.get(podUid(pod.metadata.uid));
        return status === undefined ? pod : { ...pod, status };
      });
    },
    threads: async () => [mainFigures(), ...(await supervisor.figures())],
    metrics: async () => (await supervisor.metrics()) + memoryText(settings),
    async runtime(): Promise<RuntimeInfo> {
      const health = await gateway.ask({ type: 'runtime-health' }, ASK_WITHIN);
      if (health.state !== 'up') return { name: '', version: '', state: health.state };
      return { name: health.runtime.name, version: health.runtime.version, state: health.state };
    },
    async trace(namespace, name) {
      const pod = (await wanted()).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      return pod && { podUid: pod.metadata.uid, steps: await supervisor.trace(pod.metadata.uid) };
    },
    applyFaults: (plan) => faults.apply(plan),
    listFaults: async () => faults.list(),
    clearFaults: (id) => faults.clear(id),
    async crashActor(name) {
      const address = addressOf(name, name.split('/').length > 2 ? await wanted() : []);
      return address !== undefined && (await supervisor.crashActor(address, 'made to crash on purpose'));
    },
    async provokeThread(name, how) {
      const thread = supervisor.thread(name);
      if (thread === undefined) return false;
      // A thread that fails does not answer any more.
      await thread.call((control) => control.provoke(how)).catch(() => {});
      return true;
    },
  };
}
