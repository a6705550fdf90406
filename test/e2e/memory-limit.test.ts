import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provocation } from '../../src/actor/threads/thread-control.ts';
import { residentBytesOf } from '../../src/host/process/process-memory.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { identities, untilAllRunning } from '../support/agent-process/observe-pods.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { EMBEDDED_SCRIPT, podManifest } from '../support/agent-process/test-pods.ts';
import { signal } from '../support/containerd/leftovers.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const PODS = 5;
/** Above the memory of an agent with all threads, and below the limit of one thread. */
const LIMIT_MIB = 400;
/** A fault of the limit itself must not harm the machine: with more than this the test kills the agent, and fails. */
const AT_MOST_BYTES = 1_500 * 2 ** 20;

describe(`an agent process that may hold ${LIMIT_MIB} MiB`, { timeout: 240_000 }, () => {
  let node: NodeUnderTest;

  beforeAll(async () => {
    node = await NodeUnderTest.prepare('embedded', EMBEDDED_SCRIPT);
    for (let index = 0; index < PODS; index++) await node.folder.put(`pod-${index}.yaml`, podManifest(`pod-${index}`));
  }, 60_000);
  afterAll(() => node?.stop(), 60_000);

  it.each(['exhaust-buffers', 'exhaust-heap'] satisfies Provocation[])(
    'ends when a thread uses more (%s), names the thread, and is restarted while containers keep running',
    async (how) => {
      await node.startAgent({ launcher: 'yes', profile: 'compact', memoryLimit: `${LIMIT_MIB}Mi` });
      await untilAllRunning(node.admin, PODS, 60_000);
      const [shown, ran] = [await identities(node.admin), await runningContainers(node.runtime.cri)];
      const { pid } = await node.admin.agent();
      const before = (await node.folder.log()).length;
      // The answer may get lost with the process.
      await node.admin.provokeThread('pods-0', how).catch(() => undefined);
      const serves = async (): Promise<boolean> => {
        if ((residentBytesOf(pid) ?? 0) > AT_MOST_BYTES) signal(pid, 'SIGKILL');
        const now = await node.admin.agent().catch(() => undefined);
        return now !== undefined && now.pid !== pid;
      };
      await waitUntil(serves, { what: 'another agent process serves', withinMs: 120_000, everyMs: 20 });
      await expect
        .poll(() => identities(node.admin).catch(() => ({})), { timeout: 60_000, interval: 50 })
        .toEqual(shown);
      expect(await runningContainers(node.runtime.cri)).toEqual(ran);

      const errors = (await node.folder.log()).slice(before).filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([
        {
          msg: expect.stringMatching(
            /^agent holds \d+ MiB of memory, limit 400 MiB; ending this process, containers keep running\. Largest holder: pods-0 /,
          ),
          limitMiB: LIMIT_MIB,
          threads: expect.arrayContaining([expect.stringMatching(/^pods-0 \(/)]),
        },
        { process: 'launcher', code: 72, signal: null, reason: expect.stringContaining('exceeded its memory limit') },
      ] satisfies Partial<Record<keyof LogLine, unknown>>[]);
      expect(await node.agent.stop()).toMatchObject({ code: 0 });
    },
  );
});
