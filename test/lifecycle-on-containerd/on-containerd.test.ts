import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import { type Scenario, scenarios } from '../lifecycle/scenario.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { type PrivateContainerd, startContainerd } from '../support/containerd/start-containerd.ts';
import { ContainerdNode } from './containerd-node.ts';
import { notOnContainerd } from './not-on-containerd.ts';

const SUITE = 'recorded lives on real containerd';
const only = process.env['HIVELET_ONLY']?.split(',');
const played = scenarios.filter(({ name }) => (only === undefined ? !(name in notOnContainerd) : only.includes(name)));

/** Those with one configuration of the kubelet are played side by side. */
const groups = Object.entries(Object.groupBy(played, ({ kubelet }) => JSON.stringify(kubelet)));

describe.skipIf(skipWithoutContainerd(SUITE))(SUITE, { timeout: 600_000 }, () => {
  let containerd: PrivateContainerd;
  beforeAll(async () => {
    containerd = await startContainerd();
  }, 60_000);
  afterAll(() => containerd.stop(), 120_000);

  describe.each(groups)('with a kubelet configured as %s', (_, group: readonly Scenario[] = []) => {
    const lives = new Map<string, Played>();
    beforeAll(async () => {
      await using node = await ContainerdNode.start(containerd, group);
      await Promise.all(group.map(async (scenario) => lives.set(scenario.name, await node.play(scenario))));
    }, 600_000);

    test.each(group.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
      const life = lives.get(name);
      expect(life && problemsOf(scenario, life)).toEqual([]);
    });
  });
});
