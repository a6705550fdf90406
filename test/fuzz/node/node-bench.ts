import type { Bench } from '../target.ts';
import { FuzzedNode, type FuzzedNodeOptions } from './fuzzed-node.ts';

/** Plays a case and returns its outcome. The node itself records problems. */
export type FeedNode<Case> = (node: FuzzedNode, given: Case) => Promise<string>;

/** The number of cases a node plays before it is replaced: the state that piles up in a simulation costs time. */
const CASES_PER_NODE = 300;

/** One node for many cases, replaced after a finding. */
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
