import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pod } from '../../src/kube/pod.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import {
  containerStatusOf,
  isRunningAndReady,
  onNode,
  podCalled,
  untilAllRunning,
  untilGone,
  untilPod,
  untilRunning,
} from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes, processOf } from '../support/agent-process/runtime-under-test.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { signal } from '../support/containerd/leftovers.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const OUTAGE_MS = 30_000;
const STEADY = ['one', 'two', 'three'];

// The embedded runtime simulates its containers: without the runtime there are no containers.
describeOnRuntimes('a container runtime that is stopped for 30 s', ['containerd'], () => {
  let node: NodeUnderTest;
  let before: Readonly<Record<string, string>>;
  let pids: readonly number[];
  let firstLine = 0;
  let shown: readonly Pod[];

  beforeAll(async () => {
    node = await NodeUnderTest.prepare('containerd');
    for (const name of [...STEADY, 'dies', 'unwanted']) await node.folder.put(`${name}.yaml`, podManifest(name));
    await node.startAgent();
    await untilAllRunning(node.admin, STEADY.length + 2, 30_000);
    before = await runningContainers(node.runtime.cri);
    pids = await Promise.all(Object.values(before).map((id) => processOf(node.runtime.cri, id)));
    shown = await node.admin.pods();
    firstLine = (await node.folder.log()).length;
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  const linesSince = async (): Promise<readonly LogLine[]> => (await node.folder.log()).slice(firstLine);
  const linesSaying = async (text: string): Promise<readonly LogLine[]> =>
    (await linesSince()).filter(({ msg }) => msg.includes(text));
  const DOWN = 'the container runtime does not answer';
  const UP = 'the container runtime answers';

  it('changes no pod’s status and stops no container', async () => {
    const began = performance.now();
    await node.runtime.containerd?.stopDaemon();
    const isDown = async (): Promise<boolean> => (await node.admin.runtime()).state === 'down';
    await waitUntil(isDown, { what: 'the agent notices', withinMs: 15_000 });
    // During the outage a pod is added, another is removed, and a container of a third dies.
    await node.folder.put('added.yaml', podManifest('added'));
    await node.folder.remove('unwanted.yaml');
    const [victim] = Object.keys(before).flatMap((key, index) =>
      key.startsWith(onNode('dies')) ? [pids[index] ?? 0] : [],
    );
    expect(signal(victim ?? 0, 'SIGKILL')).toBe(true);
    await untilPod(node.admin, 'added', { condition: ({ status }) => status?.phase === 'Pending', what: 'is pending' });
    // Watched for the whole outage, since a wrong status is not announced.
    while (performance.now() - began < OUTAGE_MS) {
      for (const pod of shown.filter(({ metadata }) => metadata.name !== onNode('unwanted'))) {
        const now = (await node.admin.pods()).find(({ metadata }) => metadata.uid === pod.metadata.uid);
        expect(now?.status).toEqual(pod.status);
      }
      await delay(500);
    }
    expect(pids.filter((pid) => pid !== victim && signal(pid, 0 as unknown as NodeJS.Signals))).toHaveLength(
      pids.length - 1,
    );
  }, 60_000);

  it('is reported once, as an error', async () => {
    expect(await linesSaying(DOWN)).toMatchObject([{ level: 'error' }]);
    expect((await linesSince()).filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(await linesSaying(UP)).toEqual([]);
  });

  it('ends with one log line', async () => {
    await node.runtime.containerd?.startDaemon();
    const recovered = await waitUntil(async () => (await linesSaying(UP))[0], {
      what: 'a word of the recovery',
      withinMs: 15_000,
    });
    const { downForMs } = recovered as unknown as { downForMs: number };
    process.stdout.write(`outage: ${(await linesSaying(DOWN)).length} report, recovery after ${downForMs} ms\n`);
    expect(downForMs).toBeGreaterThan(OUTAGE_MS - 6_000);
  });

  it('is followed by the delayed work: the added pod runs, the removed pod is gone, the dead container is restarted', async () => {
    await untilRunning(node.admin, 'added');
    await untilGone(node.admin, 'unwanted');
    const dies = await untilPod(node.admin, 'dies', {
      condition: (pod) => isRunningAndReady(pod) && containerStatusOf(pod, 'app').restartCount === 1,
      what: 'was restarted',
    });
    expect(containerStatusOf(dies, 'app').lastState?.terminated).toMatchObject({ exitCode: 137 });
  });

  it('leaves the other pods with their containers', async () => {
    const now = await runningContainers(node.runtime.cri);
    for (const name of STEADY) {
      const key = `${onNode(name)}/app`;
      expect(now[key]).toBe(before[key]);
      const pod = await podCalled(node.admin, name);
      expect(pod?.status).toEqual(shown.find(({ metadata }) => metadata.name === onNode(name))?.status);
    }
    expect(await linesSaying(DOWN)).toHaveLength(1);
    expect(await linesSaying(UP)).toHaveLength(1);
    expect(await linesSaying('crashed')).toEqual([]);
  });
});
