import type { Tree } from '../../../src/agent/tree.ts';

/** A tree with only these of its actors. */
export const partOfTree = (tree: Tree, played: ReadonlySet<string>): Tree => ({
  ...tree,
  main: tree.main.filter(({ address }) => played.has(address)),
  threads: tree.threads.map((thread) => ({
    ...thread,
    actors: thread.actors.filter(({ address }) => played.has(address)),
    children: thread.children.filter((child) => !('address' in child) || played.has(child.address)),
  })),
});
