import type { ChildSpec } from '../actor/supervision/child.ts';
import { kindOf, type Address } from '../actor/messages/message.ts';
import type { Placement } from '../actor/thread-host.ts';
import type { ThreadSpec } from '../actor/threads/thread-spec.ts';
import { fnv1a32 } from '../kube/text/fnv-hash.ts';
import type { ApiUse, Profile } from './settings.ts';

/**
 * Returns the profile for a number of cores. An idle thread costs some 15 MiB, and no more threads than cores run at a
 * time. So the smallest nodes get the fewest threads.
 */
export const profileFor = (cores: number): Profile => (cores <= 2 ? 'compact' : 'standard');

/** The use of an agent, which decides on the actors it has. */
export interface TreeUse {
  readonly api: ApiUse;
  /** `true` if the node has a server. In a cluster it always has. */
  readonly serves: boolean;
}

/** The supervision tree of one agent, as data. */
export interface Tree {
  /** Actors on the main thread, in order of start. */
  readonly main: readonly ChildSpec[];
  /** Threads in order of start; each with its actors and supervisors in order of start. */
  readonly threads: readonly AgentThread[];
  /** How many threads share the pod workers, one actor per pod. */
  readonly podThreads: number;
  /** The rule for pod workers, which the pod manager starts one by one. */
  readonly podWorker: Pick<ChildSpec, 'restart' | 'stopWithinMs' | 'lifetime'>;
}

export interface AgentThread extends ThreadSpec {
  /** All actors of the thread, in order of start, under any supervisor. */
  readonly actors: readonly ChildSpec[];
}

export const MAIN_THREAD = 'main';

export const POD_WORKER_KIND = 'pod-worker';

export const podThreadNames = ({ podThreads }: Pick<Tree, 'podThreads'>): readonly string[] =>
  Array.from({ length: podThreads }, (_, index) => `pods-${index}`);

/** The kinds of actors that may live on a thread. */
export function kindsOn(tree: Tree, thread: string): readonly string[] {
  const fixed = thread === MAIN_THREAD ? tree.main : (tree.threads.find(({ name }) => name === thread)?.actors ?? []);
  const kinds = fixed.map(({ address }) => kindOf(address));
  return podThreadNames(tree).includes(thread) ? [...kinds, POD_WORKER_KIND] : kinds;
}

/** `true` if the actor at an address is in the tree. */
export const isInTree = ({ main, threads }: Tree, address: Address): boolean =>
  [main, ...threads.map(({ actors }) => actors)].some((actors) => actors.some((each) => each.address === address));

/** The addresses among these that are in the tree, in their order. */
export const presentIn = <A extends Address>(tree: Tree, addresses: readonly A[]): readonly A[] =>
  addresses.filter((address) => isInTree(tree, address));

/**
 * Returns the thread of each address. Pod workers are spread by the hash of their pod's UID, so that a pod stays on one
 * thread.
 */
export function placementOf(tree: Tree): Placement {
  const fixed = new Map<Address, string>();
  for (const { address } of tree.main) fixed.set(address, MAIN_THREAD);
  for (const { name, actors } of tree.threads) for (const { address } of actors) fixed.set(address, name);
  return (address) => {
    if (kindOf(address) === POD_WORKER_KIND) return `pods-${fnv1a32(address) % tree.podThreads}`;
    const found = fixed.get(address);
    if (found === undefined) throw new Error(`no thread is set for ${address}`);
    return found;
  };
}
