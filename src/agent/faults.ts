import { kindOf, type Address } from '../actor/messages/message.ts';
import type { Clock } from '../actor/clock.ts';
import { inTime } from '../actor/in-time.ts';
import type { Log } from '../actor/log.ts';
import type { ThreadHost } from '../actor/thread-host.ts';
import type { ThreadSupervisor } from '../actor/threads/thread-supervisor.ts';
import { faultsOfThread } from './thread-faults.ts';
import type { AgentTree } from './kinds-on-thread.ts';
import { kindsOn, MAIN_THREAD, podThreadNames, type Tree } from './tree.ts';
import { FaultRegistry } from '../faults/fault-registry.ts';
import type { FaultWorld, KindFacts } from '../faults/fault-world.ts';
import type { Pod } from '../kube/pod.ts';

/** The types of messages of each kind of actor in a tree. Loads the code of all of them. */
export async function messageTypesOf(tree: Pick<AgentTree, 'kinds'>): Promise<MessageTypes> {
  const loaded = [...tree.kinds].map(async ([name, load]) => [name, (await load()).kind.messageTypes] as const);
  return new Map(await Promise.all(loaded));
}

export type MessageTypes = ReadonlyMap<string, readonly string[]>;

/** Returns everything in an agent of this tree that faults can be injected into. */
export function faultWorld(tree: Tree, messageTypes: MessageTypes): FaultWorld {
  const threads = tree.threads.map(({ name }) => name);
  const onMain = tree.main.map(({ address }) => kindOf(address));
  const kinds = new Map<string, KindFacts>();
  for (const kind of new Set([...onMain, ...threads.flatMap((thread) => kindsOn(tree, thread))])) {
    kinds.set(kind, {
      addresses: kind === 'pod-worker' ? 'many' : 'one',
      threads: onMain.includes(kind) ? [MAIN_THREAD] : threadsOf(kind, tree),
      messages: messageTypes.get(kind),
    });
  }
  return {
    threads,
    kinds,
    criThreads: threadsOf('cri-gateway', tree),
    apiThreads: threadsOf('api-gateway', tree),
    fileThreads: podThreadNames(tree),
  };
}

const threadsOf = (kind: string, tree: Tree): readonly string[] =>
  tree.threads.map(({ name }) => name).filter((thread) => kindsOn(tree, thread).includes(kind));

export interface AgentFaultsOptions {
  readonly tree: Tree;
  readonly messageTypes: MessageTypes;
  readonly host: ThreadHost;
  readonly supervisor: Pick<ThreadSupervisor, 'setFaults' | 'crashActor' | 'figures'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly pods: () => Promise<readonly Pod[]>;
}

/** A thread that hangs on purpose does not answer. It learns of a change later, or its successor does. */
const ACKNOWLEDGED_WITHIN_MS = 2_000;

/** Returns the registry that applies fault plans to the whole agent. */
export function agentFaults({
  tree,
  messageTypes,
  host,
  supervisor,
  clock,
  log,
  pods,
}: AgentFaultsOptions): FaultRegistry {
  const onMain = faultsOfThread(MAIN_THREAD, clock);
  return new FaultRegistry({
    world: faultWorld(tree, messageTypes),
    clock,
    log,
    distribute(orders) {
      host.setFaults(onMain.apply(orders));
      return inTime(supervisor.setFaults(orders.length === 0 ? undefined : orders), {
        withinMs: ACKNOWLEDGED_WITHIN_MS,
        clock,
      });
    },
    crashActor: (address, reason) => supervisor.crashActor(address, reason),
    addresses: async () =>
      [host.figures(), ...(await supervisor.figures())].flatMap(({ actors }) => Object.keys(actors)),
    resolve: async (name) => addressNamed(name, await pods()),
  });
}

/**
 * Returns the address for `pod-worker/namespace/name`; any other text is returned unchanged. `undefined` when there is
 * no such pod.
 */
export function addressNamed(name: string, pods: readonly Pod[]): Address | undefined {
  const [kind, namespace, podName, ...more] = name.split('/');
  if (podName === undefined) return name;
  if (kind !== 'pod-worker' || more.length > 0) return undefined;
  const pod = pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === podName);
  return pod && `pod-worker/${pod.metadata.uid}`;
}
