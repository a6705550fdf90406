import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_SCRIPT, podManifest } from '../support/agent-process/test-pods.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { identities, untilAllRunning } from '../support/agent-process/observe-pods.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { signal } from '../support/containerd/leftovers.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const PODS = 1_000;
const END_WITHIN_MS = 20_000;

/** Ways to end the whole process. Each gets the process ID, and resolves when the process was hit. */
const ENDS: readonly { readonly what: string; readonly end: (node: NodeUnderTest, pid: number) => Promise<void> }[] = [
  {
    what: 'killed with -9',
    async end(_, pid) {
      expect(signal(pid, 'SIGKILL')).toBe(true);
    },
  },
  {
    what: 'aborted by one huge allocation in a thread',
    async end(node, pid) {
      // The answer may get lost with the process.
      await node.admin.provokeThread('pods-0', 'abort').catch(() => undefined);
      await waitUntil(() => !isAlive(pid), { what: 'the agent process ends', withinMs: END_WITHIN_MS, everyMs: 5 });
    },
  },
];

describe(`an agent process under its launcher with ${PODS} pods`, { timeout: 150_000 }, () => {
  let node: NodeUnderTest;

  beforeAll(async () => {
    node = await NodeUnderTest.prepare('embedded', { ...EMBEDDED_SCRIPT, logs: 'off' });
    await node.folder.configure({ maxPods: PODS });
    for (let index = 0; index < PODS; index++) await node.folder.put(`pod-${index}.yaml`, podManifest(`pod-${index}`));
    await node.startAgent({ launcher: 'yes', verbosity: 0 });
    await untilAllRunning(node.admin, PODS, 90_000);
  }, 120_000);
  afterAll(() => node?.stop(), 60_000);

  it.each(ENDS)('that is $what serves again, without effect on containers', async ({ what, end }) => {
    const [shown, ran] = [await identities(node.admin), await runningContainers(node.runtime.cri)];
    expect(Object.keys(ran)).toHaveLength(PODS);
    // A launcher waits longer after each end; only the first wait is measured.
    expect(await node.agent.stop()).toMatchObject({ code: 0 });
    await node.startAgent({ launcher: 'yes', verbosity: 0 });
    await untilSame(shown);
    const { pid } = await node.admin.agent();
    await end(node, pid);
    const ended = performance.now();
    const another = async (): Promise<boolean> => {
      const now = await node.admin.agent().catch(() => undefined);
      return now !== undefined && now.pid !== pid && (await node.admin.runtime().then(yes, no));
    };
    await waitUntil(another, { what: 'another agent process serves', withinMs: END_WITHIN_MS, everyMs: 10 });
    const servedMs = performance.now() - ended;
    await untilSame(shown);
    const adoptedMs = performance.now() - ended;
    process.stdout.write(
      `agent with ${PODS} pods ${what}: its socket serves after ${Math.round(servedMs)} ms, ` +
        `every pod is known again after ${Math.round(adoptedMs)} ms\n`,
    );
    expect(await runningContainers(node.runtime.cri)).toEqual(ran);
    // A wrong action would have happened by now.
    await delay(1_000);
    expect(await runningContainers(node.runtime.cri)).toEqual(ran);
    expect(await identities(node.admin)).toEqual(shown);
  });

  const untilSame = async (before: Readonly<Record<string, string>>): Promise<void> => {
    const shown = () => identities(node.admin).catch(() => ({}));
    await expect.poll(shown, { timeout: 30_000, interval: 50 }).toEqual(before);
  };
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const yes = (): boolean => true;
const no = (): boolean => false;
