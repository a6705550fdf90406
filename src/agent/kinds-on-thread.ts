import type { ActorKind } from '../actor/actor.ts';
import { put } from '../kube/text/own.ts';
import type { AgentKind, KindEnvironment } from './kind.ts';
import { apiUse, hasServer, type AgentSettings, type Profile } from './settings.ts';
import { kindsOn, type Tree, type TreeUse } from './tree.ts';

/** Loads the kind of one actor. Called only on threads where such an actor lives. */
export type LoadKind = () => Promise<{ readonly kind: AgentKind }>;

/** The supervision tree of one agent, with the code of its actors. */
export interface AgentTree extends Tree {
  /** How each kind of actor in this tree is loaded. */
  readonly kinds: ReadonlyMap<string, LoadKind>;
}

/** The tree of a profile for a use. */
export type MakeTree = (profile: Profile, use: TreeUse) => AgentTree;

/** The tree of an agent with these settings. */
export const treeFor = (
  settings: Pick<AgentSettings, 'api' | 'objectsDir' | 'profile' | 'serves'>,
  makeTree: MakeTree,
): AgentTree => makeTree(settings.profile, { api: apiUse(settings), serves: hasServer(settings) });

/**
 * Returns the kinds of actors that may live on a thread, by name. Only their code is loaded, because code is most of a
 * thread's memory.
 */
export async function kindsOf(
  thread: string,
  loads: AgentTree['kinds'],
  environment: KindEnvironment,
): Promise<Readonly<Record<string, ActorKind>>> {
  const kinds: Record<string, ActorKind> = {};
  for (const name of kindsOn(environment.tree, thread)) {
    const load = loads.get(name);
    if (load === undefined) throw new Error(`the tree has no kind of actor called ${name}`);
    const { kind } = await load();
    put(kinds, name, await kind.make(environment));
  }
  return kinds;
}
