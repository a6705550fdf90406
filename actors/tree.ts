import { actorsIn, type ChildSpec } from '../src/actor/supervision/child.ts';
import type { Address } from '../src/actor/messages/message.ts';
import type { RestartRule } from '../src/actor/supervision/restart-budget.ts';
import type { LoadKind, MakeTree } from '../src/agent/kinds-on-thread.ts';
import { POD_WORKER_KIND, type Tree, type TreeUse } from '../src/agent/tree.ts';

/** One actor of the agent. ARCHITECTURE.md draws them all; a test keeps the two the same. */
interface Entry {
  readonly address: Address;
  readonly load: LoadKind;
  /** The agents that have this actor; all agents when `undefined`. */
  readonly when?: (use: TreeUse) => boolean;
}

const actor = (address: Address, load: LoadKind, when?: Entry['when']): Entry => ({
  address,
  load,
  ...(when !== undefined && { when }),
});

const inCluster = ({ api }: TreeUse): boolean => api === 'api';
const standalone = (use: TreeUse): boolean => !inCluster(use);
const withObjectsDir = ({ api }: TreeUse): boolean => api === 'objects-folder';
const withServer = ({ serves }: TreeUse): boolean => serves;

/**
 * All actors by thread, both in order of start: each stands on earlier ones. In the profile `standard` each entry is a
 * thread; in `compact` all but the pod workers share one. Adding an actor is one line here, and its folder.
 */
const actors = {
  main: [
    actor('job-pool', () => import('./job-pool/kind.ts')),
    actor('process-control', () => import('./process-control/kind.ts'), withServer),
  ],
  cri: [actor('cri-gateway', () => import('./cri-gateway/kind.ts'))],
  pleg: [actor('pleg', () => import('./pleg/kind.ts'))],
  probes: [
    actor('probe-manager', () => import('./probe-manager/kind.ts')),
    actor('stats-collector', () => import('./stats-collector/kind.ts')),
    actor('eviction-manager', () => import('./eviction-manager/kind.ts')),
  ],
  // Clean-up is never urgent, so it shares a thread with actors that wait for disks.
  volumes: [
    actor('object-folder', () => import('./object-folder/kind.ts'), withObjectsDir),
    actor('volume-manager', () => import('./volume-manager/kind.ts')),
    actor('csi-manager', () => import('./csi-manager/kind.ts')),
    actor('garbage-collector', () => import('./garbage-collector/kind.ts')),
    actor('image-manager', () => import('./image-manager/kind.ts')),
    actor('container-log-manager', () => import('./container-log-manager/kind.ts')),
    actor('oom-watcher', () => import('./oom-watcher/kind.ts'), inCluster),
    actor('iptables-chains', () => import('./iptables-chains/kind.ts')),
  ],
  // A restarted pod manager asks its sources to send all pods again (`send-all`), so the sources keep running.
  node: [
    actor('health-monitor', () => import('./health-monitor/kind.ts')),
    actor('api-gateway', () => import('./api-gateway/kind.ts'), inCluster),
    actor('client-certificate', () => import('./certificate-manager/kind.ts'), inCluster),
    actor('server-certificate', () => import('./certificate-manager/server-kind.ts'), inCluster),
    actor('event-recorder', () => import('./event-recorder/kind.ts'), inCluster),
    actor('node-status', () => import('./node-status/kind.ts'), inCluster),
    actor('node-lease', () => import('./node-lease/kind.ts'), inCluster),
    actor('node-shutdown', () => import('./node-shutdown/kind.ts'), inCluster),
    actor('node-addresses', () => import('./node-addresses/kind.ts'), standalone),
    actor('status-manager', () => import('./status-manager/kind.ts')),
    actor('pod-manager', () => import('./pod-manager/kind.ts')),
    actor('container-manager', () => import('./container-manager/kind.ts')),
    actor('mirror-pods', () => import('./mirror-pods/kind.ts'), inCluster),
    actor('pod-source-file', () => import('./pod-source-file/kind.ts')),
    actor('pod-source-http', () => import('./pod-source-http/kind.ts')),
    actor('pod-source-api', () => import('./pod-source-api/kind.ts'), inCluster),
    actor('object-cache', () => import('./object-cache/kind.ts'), inCluster),
  ],
  server: [actor('kubelet-server', () => import('./kubelet-server/kind.ts'), withServer)],
} as const satisfies Readonly<Record<string, readonly Entry[]>>;

/** Started by the pod manager, one per pod. */
const podWorker = actor(POD_WORKER_KIND, () => import('./pod-worker/kind.ts'));

/**
 * An actor that cannot be kept alive takes its thread down, and a thread takes the process down. Each restart may
 * repair the level below.
 */
const actorRule: RestartRule = {
  budget: { atMost: 5, withinMs: 60_000 },
  backOff: { initialMs: 100, maxMs: 5_000 },
  whenSpent: 'escalate',
};

const threadRule: RestartRule = {
  budget: { atMost: 10, withinMs: 300_000 },
  backOff: { initialMs: 200, maxMs: 10_000 },
  whenSpent: 'escalate',
};

/** A pod's worker never takes other workers down: it restarts with growing delays. It finishes when its pod is gone. */
const podWorkerRule: Tree['podWorker'] = {
  lifetime: 'transient',
  restart: {
    budget: { atMost: 5, withinMs: 600_000 },
    backOff: { initialMs: 500, maxMs: 60_000 },
    whenSpent: 'keep-trying',
  },
  stopWithinMs: 1_000,
};

/** The CRI gateway finishes creations under way. The whole agent has five seconds. */
const stopWithinMs = (address: Address): number => (address === 'cri-gateway' ? 3_000 : 1_000);

/**
 * Buffers a thread may hold outside its heap. Lists of a full node take some megabytes; a hundred times that is a leak.
 */
const EXTERNAL_LIMIT_MIB = 512;
/** The young generation of a thread that is idle most of the time. */
const quiet = { youngGenerationMiB: 2 };

const threadOf = (name: string, heapLimitMiB: number, children: readonly ChildSpec[]) => ({
  name,
  heapLimitMiB,
  externalLimitMiB: EXTERNAL_LIMIT_MIB,
  strategy: 'one-for-one' as const,
  restart: threadRule,
  children,
  actors: actorsIn(children),
});

export const treeOf: MakeTree = (profile, use) => {
  const present = (entries: readonly Entry[]): readonly Entry[] => entries.filter(({ when }) => when?.(use) ?? true);
  const children = (name: Exclude<keyof typeof actors, 'main'>): readonly ChildSpec[] =>
    present(actors[name]).map(({ address }) => childOf(address));
  const shared = {
    main: present(actors.main).map(({ address }) => childOf(address)),
    kinds: new Map(
      [...Object.values(actors).flatMap((entries) => present(entries)), podWorker].map(({ address, load }) => [
        address,
        load,
      ]),
    ),
    podWorker: podWorkerRule,
  };
  if (profile === 'compact') {
    const core = (['cri', 'pleg', 'probes', 'volumes', 'node', 'server'] as const).flatMap(children);
    return { ...shared, threads: [threadOf('pods-0', 1024, []), threadOf('core', 1024, core)], podThreads: 1 };
  }
  return {
    ...shared,
    threads: [
      threadOf('cri', 512, children('cri')),
      threadOf('pleg', 1024, children('pleg')),
      { ...threadOf('probes', 1024, children('probes')), ...quiet },
      threadOf('pods-0', 1024, []),
      threadOf('pods-1', 1024, []),
      { ...threadOf('volumes', 512, children('volumes')), ...quiet },
      threadOf('node', 1024, children('node')),
      ...(use.serves ? [{ ...threadOf('server', 512, children('server')), ...quiet }] : []),
    ],
    podThreads: 2,
  };
};

const childOf = (address: Address): ChildSpec => ({
  address,
  restart: actorRule,
  stopWithinMs: stopWithinMs(address),
});
