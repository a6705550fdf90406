import type { ActorKind } from '../actor/actor.ts';
import { put } from '../kube/text/own.ts';
import type { KindEnvironment } from './kind.ts';
import { kindsOn } from './tree.ts';

/**
 * Returns the kinds of actors that may live on a thread, by name. Only their code is loaded, because code is most of a
 * thread's memory.
 */
export async function kindsOf(
  thread: string,
  environment: KindEnvironment,
): Promise<Readonly<Record<string, ActorKind>>> {
  const kinds: Record<string, ActorKind> = {};
  for (const name of kindsOn(environment.tree, thread)) {
    const load = environment.tree.kinds.get(name);
    if (load === undefined) throw new Error(`the tree has no kind of actor called ${name}`);
    const { kind } = await load();
    put(kinds, name, await kind.make(environment));
  }
  return kinds;
}
