import { describe, expect, it } from 'vitest';
import { playScenario } from './lifecycle-node.ts';
import type { Action, Scenario } from './scenario.ts';

const FILE = 'again.yaml';
const POD = 'again-life-node';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'again', namespace: 'life' },
  spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
};

const isReady: Action = { wait: { pod: POD, condition: 'Ready=True' } };
const isRemoved: Action = { wait: { pod: POD, call: 'RemovePodSandbox' } };
const isStopping: Action = { wait: { pod: POD, call: 'StopContainer' } };

/** The file is removed, and added with the same content (so the same pod UID) once the pod is in this state. */
const scenario = (until: readonly Action[]): Scenario => ({
  name: 'again',
  topic: 'static',
  kubelet: { syncFrequency: '10s' },
  script: { pods: { [POD]: { containers: { main: { stop: ['0@3s'] } } } } },
  static: { [FILE]: pod },
  actions: [
    isReady,
    { sleep: 1_000 },
    { static: FILE },
    ...until,
    { static: FILE, pod },
    { wait: { pod: POD, call: 'StartContainer', n: 2 } },
    isReady,
    { sleep: 1_000 },
  ],
  expected: { status: {}, calls: {}, events: {} },
});

describe('a static pod whose file is added again unchanged', () => {
  it.each([
    { when: 'the pod is removed', until: [isRemoved, { sleep: 2_000 }], attempt: 0, restarts: undefined },
    { when: 'the pod is still being stopped', until: [isStopping, { sleep: 500 }], attempt: 1, restarts: 1 },
  ])('counts restarts from its remaining containers when $when: $attempt', async ({ until, attempt, restarts }) => {
    const { calls, objects, problems } = await playScenario(scenario(until));
    expect(problems).toEqual([]);
    const made = calls.map(({ text }) => text).filter((text) => /^(?:RunPodSandbox|StartContainer) /.test(text));
    expect(made).toEqual([
      'RunPodSandbox #0',
      'StartContainer main#0',
      `RunPodSandbox #${attempt}`,
      `StartContainer main#${attempt}`,
    ]);
    const main = objects.history(POD).entries.at(-1)?.containers?.['main'];
    expect(main).toMatchObject({ state: 'running', ready: true });
    expect(main?.restarts).toBe(restarts);
  });
});
