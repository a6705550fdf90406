import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import {
  containerStatusOf,
  identities,
  isRunningAndReady,
  onNode,
  untilAllRunning,
  untilGone,
  untilPod,
  untilRunning,
} from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import {
  listRuntime,
  runningContainers,
  untilNothingOf,
  watchForDoubles,
} from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { signal } from '../support/containerd/leftovers.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const PODS = 50;
const names = Array.from({ length: PODS }, (_, index) => `pod-${index}`);
const [removed = '', edited = '', dies = ''] = names;

describeOnRuntimes(`an agent killed with -9 while ${PODS} pods run`, ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    for (const name of names) await node.folder.put(`${name}.yaml`, podManifest(name));
    const agent = node.spawnAgent();
    await untilAllRunning(agent.admin, PODS, 90_000);
    const tookMs = Math.round(performance.now() - agent.startedAt);
    process.stdout.write(`${PODS} pods on ${kind}: ${tookMs} ms from the start of the agent to all ready\n`);
  }, 150_000);
  afterAll(() => node?.stop(), 90_000);

  /** The pods without a changed manifest. */
  const untouched = (byPod: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(byPod).filter(([key]) => ![removed, edited].some((name) => key.startsWith(`${onNode(name)}/`))),
    );
  /** Waits until the agent shows the same as before. Returns the time since `since`, in milliseconds. */
  const untilSame = async (before: Readonly<Record<string, string>>, since: number): Promise<number> => {
    const shown = () => identities(node.admin).catch(() => ({}));
    await expect.poll(shown, { timeout: 20_000, interval: 20 }).toMatchObject(before);
    return performance.now() - since;
  };

  it('leaves them running, and the next one has each of them with the same container', async () => {
    const [shown, ran] = [await identities(node.admin), await runningContainers(node.runtime.cri)];
    const watch = watchForDoubles(node.runtime.cri);
    await node.agent.kill();
    expect(await runningContainers(node.runtime.cri)).toEqual(ran);
    await node.folder.remove(`${removed}.yaml`);
    await node.folder.put(`${edited}.yaml`, podManifest(edited, { env: { EDITION: '2' } }));
    const tookMs = await untilSame(untouched(shown), node.spawnAgent().startedAt);
    process.stdout.write(`adoption of ${PODS} pods on ${kind}: ${Math.round(tookMs)} ms from the start of the agent\n`);
    expect(Object.keys(untouched(shown))).toHaveLength(PODS - 2);

    await untilGone(node.admin, removed);
    await untilNothingOf(node.runtime.cri, onNode(removed));
    await untilPod(node.admin, edited, {
      condition: ({ spec }) => spec.containers[0]?.env?.[0]?.value === '2',
      what: 'is the new edition',
    });
    await untilAllRunning(node.admin, PODS - 1, 20_000);
    expect((await watch.end()).breaches).toEqual([]);
    expect(untouched(await runningContainers(node.runtime.cri))).toEqual(untouched(ran));
    const { sandboxes, containers } = await listRuntime(node.runtime.cri);
    expect({ sandboxes: sandboxes.length, containers: containers.length }).toEqual({
      sandboxes: PODS - 1,
      containers: PODS - 1,
    });
  });

  it('is followed by an agent that manages them', async () => {
    await node.folder.remove(`${edited}.yaml`);
    await untilGone(node.admin, edited);
    await untilNothingOf(node.runtime.cri, onNode(edited));
    await node.runtime.killContainer(onNode(dies), 'app');
    const restarted = await untilPod(node.admin, dies, {
      condition: (pod) => isRunningAndReady(pod) && containerStatusOf(pod, 'app').restartCount === 1,
      what: 'was restarted',
    });
    expect(containerStatusOf(restarted, 'app')).toMatchObject({ lastState: { terminated: { exitCode: 137 } } });
    await node.folder.put('late.yaml', podManifest('late'));
    await untilRunning(node.admin, 'late');
  });

  it('is started again by its launcher, with the same outcome', async () => {
    await node.agent.stop();
    await node.startAgent({ launcher: 'yes' });
    await untilAllRunning(node.admin, PODS - 1, 20_000);
    const [shown, ran] = [await identities(node.admin), await runningContainers(node.runtime.cri)];
    const { pid } = await node.admin.agent();
    expect(pid).not.toBe(node.agent.pid);
    const killed = performance.now();
    expect(signal(pid, 'SIGKILL')).toBe(true);
    const another = async (): Promise<boolean> => (await node.admin.agent().catch(() => ({ pid }))).pid !== pid;
    await waitUntil(another, { what: 'another agent process listens', withinMs: 20_000 });
    const tookMs = await untilSame(shown, killed);
    process.stdout.write(
      `adoption of ${PODS} pods on ${kind}: ${Math.round(tookMs)} ms from kill -9, by the launcher\n`,
    );
    expect(await runningContainers(node.runtime.cri)).toEqual(ran);
    // A wrong action would have happened by now.
    await delay(1_000);
    expect(await identities(node.admin)).toEqual(shown);
    expect(await node.agent.stop()).toMatchObject({ code: 0 });
  });
});
