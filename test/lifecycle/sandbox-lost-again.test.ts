import { describe, expect, it } from 'vitest';
import { playScenario } from './lifecycle-node.ts';
import type { Action, Scenario } from './scenario.ts';

const POD = 'unlucky';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: POD, namespace: 'life' },
  spec: { nodeName: 'life-node', containers: [{ name: 'main', image: 'registry.test/app:1' }] },
};

/** Each sandbox is lost a tenth of a second after this call. */
function scenario(op: 'sandbox-die' | 'sandbox-vanish', call: string, times: number): Scenario {
  const losses = Array.from({ length: times }, (_, index): readonly Action[] => [
    { wait: { pod: POD, call, n: index + 1 } },
    { sleep: 100 },
    { cri: { op, pod: POD } },
  ]);
  return {
    name: POD,
    topic: 'sandbox',
    kubelet: { syncFrequency: '10s' },
    script: {},
    manifest: [pod],
    actions: [...losses.flat(), { wait: { pod: POD, condition: 'Ready=True' } }, { sleep: 1_000 }],
    expected: { status: {}, calls: {}, events: {} },
  };
}

describe('a pod that loses each new sandbox at once', () => {
  it.each([
    { what: 'with all its containers', op: 'sandbox-vanish', call: 'StartContainer' },
    { what: 'with or without running containers', op: 'sandbox-die', call: 'RunPodSandbox' },
  ] as const)(
    '$what ($op), gets the next sandbox at once, and further ones at growing intervals',
    async ({ op, call }) => {
      const { calls, problems, objects } = await playScenario(scenario(op, call, 8));
      expect(problems).toEqual([]);
      const made = calls.filter(({ method }) => method === 'RunPodSandbox').map(({ began }) => began / 1_000);
      const gaps = made.slice(1).map((at, index) => at - (made[index] ?? 0));
      const [first = Infinity, ...later] = gaps;
      expect(first).toBeLessThan(2.5);
      for (const [index, gap] of later.entries()) {
        expect(gap).toBeGreaterThanOrEqual(Math.min(2 ** index, 10));
        expect(gap).toBeLessThan(Math.min(2 ** index, 10) + 2.5);
      }
      expect(objects.history(POD).newest?.status?.phase).toBe('Running');
    },
  );
});
