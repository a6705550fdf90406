import { describe, expect, it } from 'vitest';
import { playScenario } from '../lifecycle-node.ts';
import type { Action, Scenario } from '../scenario.ts';

const FILE = 'again.yaml';
const POD = 'again-life-node';
const podWith = (volumes: 'volumes' | 'no-volumes') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'again', namespace: 'life' },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.test/app:1',
        ...(volumes === 'volumes' && { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
      },
    ],
    ...(volumes === 'volumes' && { volumes: [{ name: 'data', emptyDir: {} }] }),
  },
});

const isReady: Action = { wait: { pod: POD, condition: 'Ready=True' } };
const isRemoved: Action = { wait: { pod: POD, call: 'RemovePodSandbox' } };
const isStopping: Action = { wait: { pod: POD, call: 'StopContainer' } };

/** The file is removed, and added with the same content (so the same pod UID) once the pod is in this state. */
const scenario = (until: readonly Action[], pod: ReturnType<typeof podWith>): Scenario => ({
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

interface Case {
  readonly when: string;
  readonly until: readonly Action[];
  readonly volumes: 'volumes' | 'no-volumes';
  readonly attempt: number;
  readonly restarts: number | undefined;
}

describe('a static pod whose file is added again unchanged', () => {
  it.each<Case>([
    { when: 'the folder has not settled yet', until: [], volumes: 'no-volumes', attempt: 1, restarts: 1 },
    { when: 'the folder has not settled yet', until: [], volumes: 'volumes', attempt: 1, restarts: 1 },
    {
      when: 'the pod is removed',
      until: [isRemoved, { sleep: 2_000 }],
      volumes: 'no-volumes',
      attempt: 0,
      restarts: undefined,
    },
    {
      when: 'the pod is still being stopped',
      until: [isStopping, { sleep: 500 }],
      volumes: 'no-volumes',
      attempt: 1,
      restarts: 1,
    },
    {
      when: 'the pod is still being stopped',
      until: [isStopping, { sleep: 500 }],
      volumes: 'volumes',
      attempt: 1,
      restarts: 1,
    },
  ])(
    'with $volumes, counts restarts from its remaining containers when $when: $attempt',
    async ({ until, volumes, attempt, restarts }) => {
      const { calls, objects, problems } = await playScenario(scenario(until, podWith(volumes)));
      expect(problems).toEqual([]);
      const made = calls.map(({ text }) => text).filter((text) => /^(?:RunPodSandbox|StartContainer) /.test(text));
      expect(made).toEqual([
        'RunPodSandbox #0',
        'StartContainer main#0',
        `RunPodSandbox #${attempt}`,
        `StartContainer main#${attempt}`,
      ]);
      const { entries } = objects.history(POD);
      const main = entries.at(-1)?.containers?.['main'];
      expect(main).toMatchObject({ state: 'running', ready: true });
      expect(main?.restarts).toBe(restarts);
      // The mirror pod goes only with the last of its static pod.
      expect(entries.some(({ gone }) => gone === true)).toBe(attempt === 0);
    },
  );
});
