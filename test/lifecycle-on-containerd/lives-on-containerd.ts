import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { type PrivateContainerd, startContainerd } from '../support/containerd/start-containerd.ts';
import { ContainerdNode } from './containerd-node.ts';
import { AT_ONCE, groupLives } from '../lifecycle/live/group-lives.ts';

/** A suite that plays scenarios and compares them with their recordings. Scenarios with one configuration run in parallel. */
export function livesOnContainerd(suite: string, scenarios: readonly Scenario[]): void {
  const groups = groupLives(scenarios);

  describe.skipIf(skipWithoutContainerd(suite))(`${suite}, as recorded`, () => {
    let containerd: PrivateContainerd;
    beforeAll(async () => {
      containerd = await startContainerd();
    }, 60_000);
    afterAll(() => containerd.stop(), 120_000);

    describe.each(groups)('with a kubelet configured as %s', (_, group) => {
      const lives = new Map<string, Played>();
      beforeAll(async () => {
        await using node = await ContainerdNode.start(containerd, group);
        const waiting = [...group];
        const playSome = async (): Promise<void> => {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            lives.set(next.name, await node.play(next));
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, playSome));
      }, 600_000);

      test.each(group.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
        const life = lives.get(name);
        expect(life && problemsOf(scenario, life)).toEqual([]);
      });
    });
  });
}
