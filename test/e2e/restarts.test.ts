import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../src/kube/pod.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { containerStatusOf, onNode, podCalled, untilPod } from '../support/agent-process/observe-pods.ts';
import { PodHistory } from '../support/agent-process/pod-history.ts';
import { describeOnRuntimes, type RuntimeKind } from '../support/agent-process/runtime-under-test.ts';
import { isOfPod, listRuntime } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { containerdAvailability } from '../support/containerd/containerd-availability.ts';

interface CrashingNode {
  readonly node: NodeUnderTest;
  readonly history: PodHistory;
}

// Both halves of the suite wait for the back-off at the same time.
const kinds: readonly RuntimeKind[] = containerdAvailability().available ? ['containerd', 'embedded'] : ['embedded'];
const started = new Map<RuntimeKind, CrashingNode>();
beforeAll(async () => {
  await Promise.all(kinds.map(async (kind) => started.set(kind, await startCrashing(kind))));
}, 90_000);
afterAll(async () => {
  for (const { history } of started.values()) history.end();
  await Promise.all([...started.values()].map(({ node }) => node.stop()));
}, 90_000);

async function startCrashing(kind: RuntimeKind): Promise<CrashingNode> {
  const node = await NodeUnderTest.prepare(kind);
  await node.folder.put('crash.yaml', podManifest('crash', { containers: ['fails', 'app'] }));
  await node.startAgent();
  return { node, history: new PodHistory(node.admin, 'crash') };
}

describeOnRuntimes('a container that ends', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  let history: PodHistory;

  beforeAll(async () => {
    // If containerd is required and missing, this reports the missing parts.
    ({ node, history } = started.get(kind) ?? (await startCrashing(kind)));
  }, 90_000);

  /** The first status after a restart, and the time since the end of the previous run. */
  const restart = async (times: number): Promise<{ readonly status: ContainerStatus; readonly afterMs: number }> => {
    const { at, pod } = await history.first(
      ({ status }) => status?.containerStatuses?.some(({ restartCount }) => restartCount >= times) === true,
      { what: `the container has restarted ${times} times`, withinMs: 40_000 },
    );
    const status = containerStatusOf(pod, 'fails');
    return { status, afterMs: at - Date.parse(status.lastState?.terminated?.finishedAt ?? '') };
  };
  const backingOff = (seconds: number): Promise<{ readonly pod: Pod }> => {
    const says = ({ state }: ContainerStatus): boolean =>
      state?.waiting?.message?.startsWith(`back-off ${seconds}s `) === true;
    return history.first(({ status }) => status?.containerStatuses?.some(says) === true, {
      what: `the container backs off for ${seconds} s`,
      withinMs: 40_000,
    });
  };

  it('restarts at once the first time', async () => {
    const { status, afterMs } = await restart(1);
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3, reason: 'Error' } } });
    // The API's instants have whole seconds, and a runtime without an event stream is looked at every second.
    expect(afterMs).toBeLessThan(4_000);
  });

  it('then waits in CrashLoopBackOff, and shows why', async () => {
    const { pod } = await backingOff(10);
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
    expect(pod.status?.phase).toBe('Running');
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
    });
  });

  it('restarts the second time after 10 s, as the next attempt, with a log of its own', async () => {
    const { status, afterMs } = await restart(2);
    expect(status).toMatchObject({ restartCount: 2, lastState: { terminated: { exitCode: 3 } } });
    expect(afterMs).toBeGreaterThanOrEqual(10_000);
    expect(afterMs).toBeLessThan(14_000);
    const { containers } = await listRuntime(node.runtime.cri);
    const second = containers.filter(isOfPod(onNode('crash'))).find(({ metadata }) => metadata?.attempt === 2);
    expect(second).toMatchObject({
      metadata: { name: 'fails' },
      annotations: { 'io.kubernetes.container.restartCount': '2' },
    });
    const { uid } = (await podCalled(node.admin, 'crash'))?.metadata ?? { uid: '' };
    const logs = await readdir(join(node.folder.podLogs, `default_${onNode('crash')}_${uid}`, 'fails'));
    expect(logs).toContain('2.log');
  });

  it.each([
    { restartPolicy: 'Never', container: 'fails', phase: 'Failed' },
    { restartPolicy: 'Never', container: 'prepares', phase: 'Succeeded' },
    { restartPolicy: 'OnFailure', container: 'prepares', phase: 'Succeeded' },
  ] as const)('ends its pod as $phase when it is $container and restarts $restartPolicy', async (given) => {
    const { restartPolicy, container, phase } = given;
    const name = `${restartPolicy}-${container}`.toLowerCase();
    await node.folder.put(`${name}.yaml`, podManifest(name, { containers: [container], restartPolicy }));
    const pod = await untilPod(node.admin, name, {
      condition: ({ status }) => status?.phase === phase,
      what: `is ${phase}`,
    });
    expect(containerStatusOf(pod, container)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: phase === 'Failed' ? 3 : 0 } },
    });
  });

  // oxlint-disable-next-line vitest/no-conditional-tests -- one of the two cases has the long wait
  if (kind === 'embedded') {
    it('restarts the third time after 20 s', async () => {
      await backingOff(20);
      const { status, afterMs } = await restart(3);
      expect(status.restartCount).toBe(3);
      expect(afterMs).toBeGreaterThanOrEqual(20_000);
      expect(afterMs).toBeLessThan(24_000);
    });
  }

  it('leaves the other container of its pod alone', async () => {
    const pod = await podCalled(node.admin, 'crash');
    expect(pod && containerStatusOf(pod, 'app')).toMatchObject({ restartCount: 0, ready: true });
  });
});
