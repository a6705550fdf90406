import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { type PrivateContainerd, startContainerd } from '../support/containerd/start-containerd.ts';
import { ContainerdNode, hasKill } from './containerd-node.ts';

/** With more, two cores are so busy that steps a second apart are told together, and probes time out. */
const AT_ONCE = 4;

/** Those that one agent plays: with one configuration. Those with a kill wait for one another, so all are played at once. */
function groupsOf(scenarios: readonly Scenario[]): readonly (readonly [string, readonly Scenario[]])[] {
  const byConfiguration = Object.entries(Object.groupBy(scenarios, ({ kubelet }) => JSON.stringify(kubelet)));
  return byConfiguration.flatMap(([kubelet, group = []]): (readonly [string, readonly Scenario[]])[] => {
    if (!group.some(hasKill)) return [[kubelet, group]];
    const parts = Math.ceil(group.length / AT_ONCE);
    const part = (index: number) => group.filter((_, each) => each % parts === index);
    return Array.from({ length: parts }, (_, index) => [`${kubelet}, ${index + 1} of ${parts}`, part(index)]);
  });
}

/** A suite that plays these, and compares them with what was recorded. Those with one configuration go side by side. */
export function livesOnContainerd(suite: string, scenarios: readonly Scenario[]): void {
  const groups = groupsOf(scenarios);

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
