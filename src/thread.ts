import { Registry } from 'prom-client';
import { CriGateway, type CallsUnderWay } from '../actors/cri-gateway/actor.ts';
import { defaultLaneLimits } from '../actors/cri-gateway/state.ts';
import { criThroughGateway, type Caller } from '../actors/cri-through-gateway.ts';
import { Pleg } from '../actors/pleg/actor.ts';
import { plegMetrics } from '../actors/pleg/metrics.ts';
import { PodManager } from '../actors/pod-manager/actor.ts';
import { PodSourceFile } from '../actors/pod-source-file/actor.ts';
import { manifestFolder } from '../actors/pod-source-file/manifest-folder.ts';
import { PodWorker } from '../actors/pod-worker/actor.ts';
import type { PodWorkerInit, PodWorkerProtocol } from '../actors/pod-worker/protocol.ts';
import type { CriGatewayProtocol } from '../actors/cri-gateway/protocol.ts';
import type { PlegProtocol } from '../actors/pleg/protocol.ts';
import type { PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import type { PodSourceFileProtocol } from '../actors/pod-source-file/protocol.ts';
import type { StatusManagerProtocol } from '../actors/status-manager/protocol.ts';
import { StatusManager } from '../actors/status-manager/actor.ts';
import { placementOf, podThreadNames, podWorkerRule, treeOf } from '../actors/tree.ts';
import type { Actor, ActorContext, ActorKind, MailboxPolicy } from './actor/actor.ts';
import { systemClock } from './actor/clock.ts';
import type { Protocol } from './actor/message.ts';
import { systemRandom } from './actor/random.ts';
import { serveThread, type ThreadEnvironment } from './actor/serve-thread.ts';
import type { AgentSettings } from './agent.ts';
import { makeLog } from './cli/logger.ts';
import { criClient } from './cri/client.ts';
import { operationMetrics } from './cri/operation-metrics.ts';
import { grpcTransport, type CriTransport } from './cri/transport.ts';
import type { NodeFacts } from './node/node-facts.ts';
import { hostPodFiles } from './node/pod-files.ts';

/** What every thread of the agent is given. */
export interface ThreadConfig {
  readonly settings: AgentSettings;
  readonly node: NodeFacts;
}

/** Room for a burst in which every pod of a full node has something to say. */
const largeMailbox: MailboxPolicy = { capacity: 100_000 };
/** A pod's own: whatever comes in such numbers is not about its pod any more. */
const podMailbox: MailboxPolicy = { capacity: 1_000 };

/** Folder of the links that log collectors of old read; only beside the standard log folder. */
const legacyLogsDir = (podLogsDir: string): string | undefined =>
  podLogsDir === '/var/log/pods' ? '/var/log/containers' : undefined;

serveThread(({ thread, config }): ThreadEnvironment => {
  // Written by the agent's main thread, which starts every thread with exactly this.
  const { settings, node } = config as ThreadConfig;
  const log = makeLog({ ...settings.log, bindings: { thread } });
  const registry = new Registry();
  return {
    kinds: actorKinds({ settings, node }, registry),
    placement: placementOf(treeOf(settings.profile)),
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: () => registry.metrics(),
  };
});

function actorKinds({ settings, node }: ThreadConfig, registry: Registry): Readonly<Record<string, ActorKind>> {
  const { config } = settings;
  const tree = treeOf(settings.profile);
  const podThreads = podThreadNames(tree);
  const placement = placementOf(tree);
  const { runtimeRequestTimeout } = config;
  // Made by the first incarnation that needs it, and kept for the thread's life: later ones go on with the same.
  const once = <T>(make: () => T): (() => T) => {
    let made: { readonly value: T } | undefined;
    return () => (made ??= { value: make() }).value;
  };
  const transport = once((): CriTransport => grpcTransport(settings.runtimeEndpoint));
  const underWay: CallsUnderWay = new Map();
  const operations = once(() => operationMetrics(registry));
  const relists = once(() => plegMetrics(registry));
  const callsOf = (context: Caller) => criThroughGateway(context, runtimeRequestTimeout);
  return {
    'cri-gateway': kind<CriGatewayProtocol>(largeMailbox, (context) => {
      return new CriGateway(context, {
        transport: transport(),
        underWay,
        limits: { ...defaultLaneLimits, pull: pullsAtOnce(settings) },
        metrics: operations(),
        listeners: ['pleg', 'pod-manager'],
        podThreads,
      });
    }),
    pleg: kind<PlegProtocol>(largeMailbox, (context) => {
      const criBytes = callsOf(context);
      return new Pleg(context, { cri: criClient(criBytes), criBytes, metrics: relists() });
    }),
    'status-manager': kind<StatusManagerProtocol>(
      largeMailbox,
      (context) => new StatusManager(context, { podThreads }),
    ),
    'pod-manager': kind<PodManagerProtocol>(largeMailbox, (context) => {
      const threadOf = (uid: string) => placement(`pod-worker/${uid}`);
      return new PodManager(context, { podThreads, threadOf, workerRule: podWorkerRule });
    }),
    'pod-source-file': kind<PodSourceFileProtocol>(largeMailbox, (context) => {
      const folder = manifestFolder(config.staticPodPath.replace(/(?<=.)\/+$/, ''));
      return new PodSourceFile(context, {
        folder,
        nodeName: settings.nodeName,
        pollEveryMs: config.fileCheckFrequency,
      });
    }),
    'pod-worker': kind<PodWorkerProtocol>(podMailbox, (context, init) => {
      return new PodWorker(context, {
        // Written by the pod manager, which starts every pod worker with exactly this.
        init: init as PodWorkerInit,
        settings: {
          hostIps: node.hostIPs,
          syncFrequencyMs: config.syncFrequency,
          crashLoopMaxMs: config.crashLoopBackOff.maxContainerRestartPeriod ?? 300_000,
        },
        tools: {
          cri: criClient(callsOf(context)),
          files: hostPodFiles,
          node,
          clock: context.clock,
          random: context.random,
          requestTimeoutMs: runtimeRequestTimeout,
          legacyLogsDir: legacyLogsDir(node.podLogsDir),
        },
      });
    }),
  };
}

/** Ties an actor to its kind. */
function kind<P extends Protocol>(
  mailbox: MailboxPolicy,
  make: (context: ActorContext<P>, init: unknown) => Actor<P>,
): ActorKind {
  // A context is made for whatever protocol the actor at its address speaks; the table above makes the match.
  return { make: make as unknown as ActorKind['make'], mailbox };
}

function pullsAtOnce({ config }: AgentSettings): number {
  if (config.maxParallelImagePulls !== null) return config.maxParallelImagePulls;
  return config.serializeImagePulls ? 1 : defaultLaneLimits.pull;
}
