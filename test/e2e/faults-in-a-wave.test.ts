import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, untilAllRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import {
  containersThatRanBefore,
  isReadySandbox,
  listRuntime,
  runningContainers,
  watchForDoubles,
} from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const WAVE = 30;

describeOnRuntimes(`a fault while ${WAVE} pods start`, ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.start(kind);
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  it('all run in the end, each once, while one thread after the other ends', async () => {
    const threads = ['pods-0', 'cri', 'pleg', 'node'];
    const names = Array.from({ length: WAVE }, (_, index) => `pod-${index}`);
    const watch = watchForDoubles(node.runtime.cri);
    for (const name of names)
      await node.folder.put(`${name}.yaml`, podManifest(name, { initContainers: ['prepares'] }));
    const began = performance.now();
    for (const [index, thread] of threads.entries()) {
      // In the middle: some have their containers, some their sandbox, some nothing yet.
      const enough = ((index + 1) * WAVE) / (threads.length + 1);
      const started = async (): Promise<boolean> => (await listRuntime(node.runtime.cri)).sandboxes.length >= enough;
      await waitUntil(started, { what: `${enough} sandboxes`, withinMs: 30_000 });
      await node.admin.provokeThread(thread, 'exit');
    }
    await untilAllRunning(node.admin, WAVE, 60_000);
    process.stdout.write(
      `wave of ${WAVE} pods on ${kind}, ${threads.join(', ')} killed: ${Math.round(performance.now() - began)} ms\n`,
    );
    const { looks, breaches } = await watch.end();
    expect(breaches).toEqual([]);
    expect(looks).toBeGreaterThan(5);
    const { sandboxes } = await listRuntime(node.runtime.cri);
    // An interrupted call may have left a sandbox that was never ready. At most one sandbox of a pod is ever ready.
    expect(sandboxes.filter(isReadySandbox)).toHaveLength(WAVE);
    expect(Object.keys(await runningContainers(node.runtime.cri))).toHaveLength(WAVE);
    // The init containers have done their work, once.
    const prepared = names.map((name) => `${onNode(name)}/prepares: Completed (0)`);
    expect(new Set(await containersThatRanBefore(node.runtime.cri))).toEqual(new Set(prepared));

    for (const name of names) await node.folder.remove(`${name}.yaml`);
    await waitUntil(async () => (await node.admin.pods()).length === 0, { what: 'all are gone', withinMs: 60_000 });
    expect(await listRuntime(node.runtime.cri)).toEqual({ containers: [], sandboxes: [] });
  });
});
