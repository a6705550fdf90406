import { actorsIn, type ChildSpec, type TreeSpec } from '../src/actor/child.ts';
import type { Address } from '../src/actor/message.ts';
import type { RestartRule } from '../src/actor/restart-budget.ts';
import type { Placement } from '../src/actor/thread-host.ts';
import type { ThreadSpec } from '../src/actor/thread-spec.ts';
import { kindOf } from '../src/actor/message.ts';
import { fnv1a32 } from '../src/kube/fnv-hash.ts';

/** The whole supervision tree of the agent, as data. ARCHITECTURE.md draws it; a test keeps the two the same. */
export interface Tree {
  /** Actors on the main thread, in order of start. */
  readonly main: readonly ChildSpec[];
  /** Threads in order of start; each with its actors and supervisors in order of start. */
  readonly threads: readonly AgentThread[];
  /** How many threads share the pod workers, one actor a pod. */
  readonly podThreads: number;
}

export interface AgentThread extends ThreadSpec {
  /** All actors of the thread, in order of start, whatever supervisor they are under. */
  readonly actors: readonly ChildSpec[];
}

export type Profile = 'standard' | 'compact';

/**
 * The profile of a machine with so many cores. A thread costs some 15 MiB before it has anything to do, and no more threads than
 * there are cores are at work at once: on the smallest nodes those of `standard` would only be looked after.
 */
export const profileFor = (cores: number): Profile => (cores <= 2 ? 'compact' : 'standard');

/** An actor that cannot be kept alive takes its thread down, and a thread the process: each may mend what lies below it. */
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

/** One pod's worker never takes the others down: it is tried again, more and more rarely. */
export const podWorkerRule: Pick<ChildSpec, 'restart' | 'stopWithinMs' | 'lifetime'> = {
  // It finishes when its pod is gone.
  lifetime: 'transient',
  restart: {
    budget: { atMost: 5, withinMs: 600_000 },
    backOff: { initialMs: 500, maxMs: 60_000 },
    whenSpent: 'keep-trying',
  },
  stopWithinMs: 1_000,
};

/** The CRI gateway lets what is being created come to its end; the whole agent has five seconds. */
const stopWithinMs = (address: Address): number => (address === 'cri-gateway' ? 3_000 : 1_000);

const actor = (address: Address): ChildSpec => ({ address, restart: actorRule, stopWithinMs: stopWithinMs(address) });

/** Whether the agent belongs to a cluster. Without an API server it runs static pods only, and has no actor that needs one. */
export type ApiUse = 'standalone' | 'objects-folder' | 'api';

/** What an agent has its actors for. */
export interface TreeUse {
  readonly api: ApiUse;
  /** Whether the node has a server. In a cluster it always does. */
  readonly serves: boolean;
}

/**
 * What a pod manager that starts anew has lost, it asks for again (`send-all`): its source goes on, so that a crash of one
 * concerns nobody but itself.
 */
const intake = (api: ApiUse): readonly ChildSpec[] => [
  ...inCluster(
    api,
    [
      'api-gateway',
      'client-certificate',
      'server-certificate',
      'event-recorder',
      'node-status',
      'node-lease',
      'node-shutdown',
    ].map(actor),
  ),
  actor('status-manager'),
  actor('pod-manager'),
  actor('container-manager'),
  ...inCluster(api, [actor('mirror-pods')]),
  actor('pod-source-file'),
  actor('pod-source-http'),
  ...inCluster(api, [actor('pod-source-api'), actor('object-cache')]),
];

/** Tidying is never urgent: it shares a thread with what waits for disks anyway. */
const tidying = (api: ApiUse): readonly ChildSpec[] => [
  actor('garbage-collector'),
  actor('image-manager'),
  actor('container-log-manager'),
  ...inCluster(api, [actor('oom-watcher')]),
];

const volumes = (api: ApiUse): readonly ChildSpec[] => [
  ...(api === 'objects-folder' ? [actor('object-folder')] : []),
  actor('volume-manager'),
  actor('csi-manager'),
  ...tidying(api),
];

/** What only the root supervisor knows is lent out on its own thread. */
const onMain = (serves: boolean): readonly ChildSpec[] => [
  actor('job-pool'),
  ...(serves ? [actor('node-metrics')] : []),
];

const inCluster = (api: ApiUse, children: readonly ChildSpec[]): readonly ChildSpec[] =>
  api === 'api' ? children : [];

/** Buffers a thread may hold outside its heap: lists of a full node are some megabytes, and a hundred times that is a leak. */
const EXTERNAL_LIMIT_MIB = 512;

const thread = (name: string, heapLimitMiB: number, children: readonly TreeSpec[]): AgentThread => ({
  name,
  heapLimitMiB,
  externalLimitMiB: EXTERNAL_LIMIT_MIB,
  strategy: 'one-for-one',
  restart: threadRule,
  children,
  actors: actorsIn(children),
});

/** Of a thread that does little most of the time. */
const quiet = { youngGenerationMiB: 2 };

const treesWith = ({ api, serves }: TreeUse): Readonly<Record<Profile, Tree>> => ({
  standard: {
    main: onMain(serves),
    threads: [
      thread('cri', 512, [actor('cri-gateway')]),
      thread('pleg', 1024, [actor('pleg')]),
      {
        ...thread('probes', 1024, [actor('probe-manager'), actor('stats-collector'), actor('eviction-manager')]),
        ...quiet,
      },
      thread('pods-0', 1024, []),
      thread('pods-1', 1024, []),
      { ...thread('volumes', 512, volumes(api)), ...quiet },
      thread('node', 1024, intake(api)),
      ...(serves ? [{ ...thread('server', 512, [actor('kubelet-server')]), ...quiet }] : []),
    ],
    podThreads: 2,
  },
  compact: {
    main: onMain(serves),
    threads: [
      thread('pods-0', 1024, []),
      thread('core', 1024, [
        actor('cri-gateway'),
        actor('pleg'),
        actor('probe-manager'),
        actor('stats-collector'),
        actor('eviction-manager'),
        ...volumes(api),
        ...intake(api),
        ...(serves ? [actor('kubelet-server')] : []),
      ]),
    ],
    podThreads: 1,
  },
});

const treesOf = (api: ApiUse) => ({
  serving: treesWith({ api, serves: true }),
  silent: treesWith({ api, serves: false }),
});
const trees = {
  standalone: treesOf('standalone'),
  'objects-folder': treesOf('objects-folder'),
  api: treesOf('api'),
};

export const treeOf = (profile: Profile, api: ApiUse = 'standalone', serves = api === 'api'): Tree =>
  trees[api][serves ? 'serving' : 'silent'][profile];

export const MAIN_THREAD = 'main';

export const podThreadNames = ({ podThreads }: Tree): readonly string[] =>
  Array.from({ length: podThreads }, (_, index) => `pods-${index}`);

/** The kinds of actors that may live on a thread. */
export function kindsOn(tree: Tree, thread: string): readonly string[] {
  const fixed = tree.threads.find(({ name }) => name === thread)?.actors ?? [];
  const kinds = fixed.map(({ address }) => kindOf(address));
  return podThreadNames(tree).includes(thread) ? [...kinds, 'pod-worker'] : kinds;
}

/** Which thread each address lives on. Pod workers are spread by the hash of their pod's UID, so that a pod stays put. */
export function placementOf(tree: Tree): Placement {
  const fixed = new Map<Address, string>();
  for (const { address } of tree.main) fixed.set(address, MAIN_THREAD);
  for (const { name, actors } of tree.threads) for (const { address } of actors) fixed.set(address, name);
  return (address) => {
    if (kindOf(address) === 'pod-worker') return `pods-${fnv1a32(address) % tree.podThreads}`;
    const found = fixed.get(address);
    if (found === undefined) throw new Error(`no thread is set for ${address}`);
    return found;
  };
}
