import type { Bench } from '../target.ts';
import { FuzzedNode, type FuzzedNodeOptions } from './fuzzed-node.ts';

/** Says what became of the case; what went wrong the node itself has noted. */
export type FeedNode<Case> = (node: FuzzedNode, given: Case) => Promise<string>;

/** Cases on a node that has lived through this many get another node: what piles up in a simulation costs time. */
const CASES_PER_NODE = 300;

/** One node for many cases, and another one once something has gone wrong on it. */
export async function nodeBench<Case>(feed: FeedNode<Case>, options: FuzzedNodeOptions = {}): Promise<Bench<Case>> {
  let node = await FuzzedNode.begin(options);
  let cases = 0;
  return {
    async run(given) {
      if (!node.isSound || cases >= CASES_PER_NODE) {
        node.close();
        node = await FuzzedNode.begin(options);
        cases = 0;
      }
      cases++;
      return node.verdict(await feed(node, given));
    },
    close: async () => node.close(),
  };
}
