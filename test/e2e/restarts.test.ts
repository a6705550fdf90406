import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../src/kube/pod.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { containerStatusOf, onNode, podCalled, untilPod } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { isOfPod, listRuntime } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';

describeOnRuntimes('a container that ends', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  /** When each restart was first seen in the status, and when the run before it ended; milliseconds. */
  const ends: number[] = [];
  const starts: number[] = [];

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    await node.folder.put('crash.yaml', podManifest('crash', { containers: ['fails', 'app'] }));
    await node.startAgent();
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  const untilRestarted = async (times: number, withinMs: number): Promise<ContainerStatus> => {
    const pod = await untilPod(node.admin, 'crash', {
      condition: (each) => each.status?.containerStatuses?.some(({ restartCount }) => restartCount >= times) === true,
      what: `has restarted ${times} times`,
      withinMs,
    });
    const status = containerStatusOf(pod, 'fails');
    const { finishedAt } = terminated(status.lastState ?? {});
    ends.push(Date.parse(finishedAt));
    starts.push(new Date().getTime());
    return status;
  };
  const waits = (seconds: number) => (pod: Pod) =>
    containerStatusOf(pod, 'fails').state?.waiting?.message?.startsWith(`back-off ${seconds}s `) === true;

  it('restarts at once the first time', async () => {
    const status = await untilRestarted(1, 10_000);
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3, reason: 'Error' } } });
    // The API's instants have whole seconds, and a runtime without an event stream is looked at every second.
    expect((starts[0] ?? 0) - (ends[0] ?? 0)).toBeLessThan(4_000);
  });

  it('then waits in CrashLoopBackOff, and shows why', async () => {
    const pod = await untilPod(node.admin, 'crash', { condition: waits(10), what: 'backs off' });
    expect(containerStatusOf(pod, 'fails')).toMatchObject({
      ready: false,
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off 10s restarting failed container=fails pod=${onNode('crash')}_default(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 3 } },
    });
    expect(pod.status).toMatchObject({ phase: 'Running' });
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
    });
  });

  it('restarts the second time after 10 s, as the next attempt, with a log of its own', async () => {
    const status = await untilRestarted(2, 20_000);
    expect(status).toMatchObject({ restartCount: 2, lastState: { terminated: { exitCode: 3 } } });
    const waitedMs = (starts[1] ?? 0) - (ends[1] ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(10_000);
    expect(waitedMs).toBeLessThan(14_000);
    const { containers } = await listRuntime(node.runtime.cri);
    const newest = containers
      .filter(isOfPod(onNode('crash')))
      .filter(({ metadata }) => metadata?.name === 'fails')
      .sort((one, other) => Number(other.createdAt - one.createdAt))[0];
    expect(newest).toMatchObject({
      metadata: { attempt: 2 },
      annotations: { 'io.kubernetes.container.restartCount': '2' },
    });
    const { uid } = (await podCalled(node.admin, 'crash'))?.metadata ?? { uid: '' };
    const logs = await readdir(join(node.folder.podLogs, `default_${onNode('crash')}_${uid}`, 'fails'));
    expect(logs).toContain('2.log');
  });

  if (kind === 'embedded') {
    it('restarts the third time after 20 s', async () => {
      await untilPod(node.admin, 'crash', { condition: waits(20), what: 'backs off longer' });
      await untilRestarted(3, 30_000);
      const waitedMs = (starts[2] ?? 0) - (ends[2] ?? 0);
      expect(waitedMs).toBeGreaterThanOrEqual(20_000);
      expect(waitedMs).toBeLessThan(24_000);
    });
  }

  it('leaves the other container of its pod alone', async () => {
    const pod = await podCalled(node.admin, 'crash');
    expect(pod && containerStatusOf(pod, 'app')).toMatchObject({ restartCount: 0, ready: true });
  });

  it.each([
    { restartPolicy: 'Never', container: 'fails', phase: 'Failed' },
    { restartPolicy: 'Never', container: 'prepares', phase: 'Succeeded' },
    { restartPolicy: 'OnFailure', container: 'prepares', phase: 'Succeeded' },
  ] as const)('ends its pod as $phase when it is $container and restarts $restartPolicy', async (given) => {
    const name = `${given.restartPolicy}-${given.container}`.toLowerCase();
    await node.folder.put(
      `${name}.yaml`,
      podManifest(name, { containers: [given.container], restartPolicy: given.restartPolicy }),
    );
    const pod = await untilPod(node.admin, name, {
      condition: ({ status }) => status?.phase === given.phase,
      what: `is ${given.phase}`,
    });
    expect(containerStatusOf(pod, given.container)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: given.phase === 'Failed' ? 3 : 0 } },
    });
  });
});

function terminated({ terminated: end }: NonNullable<ContainerStatus['lastState']>): { readonly finishedAt: string } {
  if (end?.finishedAt === undefined || end.finishedAt === null) throw new Error('the container has no last end');
  return { finishedAt: end.finishedAt };
}
