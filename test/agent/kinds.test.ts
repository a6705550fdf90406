import { describe, expect, it } from 'vitest';
import { treeOf } from '../../actors/tree.ts';
import type { AgentKind } from '../../src/agent/kind.ts';
import { kindsOn, MAIN_THREAD, podThreadNames, POD_WORKER_KIND } from '../../src/agent/tree.ts';

const trees = (['api', 'objects-folder'] as const).map((api) => treeOf('standard', { api, serves: true }));

const loaded = async (): Promise<ReadonlyMap<string, AgentKind>> => {
  const entries = trees
    .flatMap(({ kinds }) => [...kinds])
    .map(async ([name, load]) => [name, (await load()).kind] as const);
  return new Map(await Promise.all(entries));
};

describe('the kind of every actor', () => {
  it('runs on its thread in the tree', async () => {
    const kinds = await loaded();
    for (const tree of trees) {
      const threads = [MAIN_THREAD, ...tree.threads.map(({ name }) => name)];
      for (const thread of threads) {
        const said = podThreadNames(tree).includes(thread) ? 'pods' : thread;
        for (const kind of kindsOn(tree, thread)) expect([kind, kinds.get(kind)?.runsOn]).toEqual([kind, said]);
      }
    }
  });

  it('depends only on actors that the tree starts earlier', async () => {
    const kinds = await loaded();
    for (const tree of trees) {
      const order = [...tree.main, ...tree.threads.flatMap(({ actors }) => actors)].map(({ address }) => address);
      const started = [...order, POD_WORKER_KIND];
      for (const [index, address] of started.entries()) {
        const early = kinds.get(address)?.standsOn.filter((each) => started.includes(each)) ?? [];
        for (const each of early) expect([address, each, started.indexOf(each) < index]).toEqual([address, each, true]);
      }
    }
  });

  it('lists each of its messages once', async () => {
    for (const [name, { messageTypes }] of await loaded()) {
      expect([name, new Set(messageTypes).size]).toEqual([name, messageTypes.length]);
      expect([name, messageTypes.length > 0]).toEqual([name, true]);
    }
  });
});
