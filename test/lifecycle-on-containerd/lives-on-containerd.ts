import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { type PrivateContainerd, startContainerd } from '../support/containerd/start-containerd.ts';
import { ContainerdNode } from './containerd-node.ts';

/** A suite that plays these, and compares them with what was recorded. Those with one configuration go side by side. */
export function livesOnContainerd(suite: string, scenarios: readonly Scenario[]): void {
  const groups = Object.entries(Object.groupBy(scenarios, ({ kubelet }) => JSON.stringify(kubelet)));

  describe.skipIf(skipWithoutContainerd(suite))(`${suite}, as recorded`, () => {
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
}
