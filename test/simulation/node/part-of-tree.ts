import { HEALTH_MONITOR } from '../../../actors/health-monitor/protocol.ts';
import type { Tree } from '../../../src/agent/tree.ts';

/** Returns a tree with only these of its actors, and the health monitor, to which all others report. */
export function partOfTree(tree: Tree, played: ReadonlySet<string>): Tree {
  const isPlayed = (address: string): boolean => address === HEALTH_MONITOR || played.has(address);
  return {
    ...tree,
    main: tree.main.filter(({ address }) => isPlayed(address)),
    threads: tree.threads.map((thread) => ({
      ...thread,
      actors: thread.actors.filter(({ address }) => isPlayed(address)),
      children: thread.children.filter((child) => !('address' in child) || isPlayed(child.address)),
    })),
  };
}
