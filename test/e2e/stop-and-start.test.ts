import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminSocketPath } from '../../src/cli/admin/admin-socket.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { identities, untilAllRunning, untilGone, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import {
  containersThatRanBefore,
  isReadySandbox,
  listRuntime,
  runningContainers,
} from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { readFile } from 'node:fs/promises';

const STOPPED_WITHIN_MS = 5_000;

describeOnRuntimes('an agent that is asked to stop', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  beforeEach(async () => {
    node = await NodeUnderTest.prepare(kind);
    return () => node.stop();
  }, 60_000);

  // Both processes take the same steps; one run is enough.
  const launchers = kind === 'containerd' ? (['no'] as const) : (['no', 'yes'] as const);

  it.each(launchers.map((launcher) => ({ launcher })))(
    'exits with 0 within 5 s, leaves containers running and its successor takes them over (launcher: $launcher)',
    async ({ launcher }) => {
      for (const name of ['one', 'two']) await node.folder.put(`${name}.yaml`, podManifest(name));
      await node.startAgent({ launcher });
      await untilAllRunning(node.admin, 2, 20_000);
      const [shown, ran] = [await identities(node.admin), await runningContainers(node.runtime.cri)];
      expect(Object.keys(ran)).toHaveLength(2);

      const end = await node.agent.stop();
      expect(end).toMatchObject({ code: 0, signal: null });
      expect(end.tookMs).toBeLessThan(STOPPED_WITHIN_MS);
      expect(existsSync(adminSocketPath(node.folder.rootDir))).toBe(false);
      expect(await runningContainers(node.runtime.cri)).toEqual(ran);

      await node.startAgent({ launcher });
      await untilAllRunning(node.admin, 2, 20_000);
      expect(await identities(node.admin)).toEqual(shown);
      expect(await runningContainers(node.runtime.cri)).toEqual(ran);
      await node.folder.remove('one.yaml');
      await untilGone(node.admin, 'one');
      expect(Object.keys(await runningContainers(node.runtime.cri))).toHaveLength(1);
      expect((await node.folder.log()).filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('exits with 0 within 5 s while pods are starting, and its successor starts each of them once', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `pod-${index}`);
    const agent = await node.startAgent();
    for (const name of names) await node.folder.put(`${name}.yaml`, podManifest(name));
    const someStarted = async (): Promise<boolean> => (await listRuntime(node.runtime.cri)).sandboxes.length >= 2;
    await waitUntil(someStarted, { what: 'the first sandboxes', withinMs: 20_000 });
    const end = await agent.stop();
    expect(end).toMatchObject({ code: 0 });
    expect(end.tookMs).toBeLessThan(STOPPED_WITHIN_MS);

    await node.startAgent();
    await untilAllRunning(node.admin, names.length, 40_000);
    expect((await listRuntime(node.runtime.cri)).sandboxes.filter(isReadySandbox)).toHaveLength(names.length);
    expect(Object.keys(await runningContainers(node.runtime.cri))).toHaveLength(names.length);
    expect(await containersThatRanBefore(node.runtime.cri)).toEqual([]);
  });

  // oxlint-disable-next-line vitest/no-conditional-tests -- only a runtime that is not its containers can be down
  if (kind === 'containerd') {
    it('exits with 0 within 5 s while the runtime is down', async () => {
      await node.folder.put('one.yaml', podManifest('one'));
      const agent = await node.startAgent();
      await untilRunning(node.admin, 'one');
      await node.runtime.containerd?.kill();
      await node.folder.remove('one.yaml');
      const isDown = async (): Promise<boolean> => (await node.admin.runtime()).state === 'down';
      await waitUntil(isDown, { what: 'the agent misses the runtime', withinMs: 15_000 });
      const end = await agent.stop();
      expect(end).toMatchObject({ code: 0 });
      expect(end.tookMs).toBeLessThan(STOPPED_WITHIN_MS);
    });
  }
});

describe('an agent with an invalid configuration', () => {
  let node: NodeUnderTest;
  beforeEach(async () => {
    node = await NodeUnderTest.prepare('embedded');
    await node.folder.put('one.yaml', podManifest('one'));
  });
  afterEach(() => node.stop());

  it('exits with 1, lists every problem with its place, and starts nothing', async () => {
    await node.folder.configure({ maxPods: -1, syncFrequency: 'often', maxPodz: 3 });
    const agent = node.spawnAgent();
    expect(await agent.ended).toEqual({ code: 1, signal: null });
    const said = await readFile(node.folder.logFile, 'utf8');
    for (const field of ['maxPods', 'syncFrequency', 'maxPodz']) {
      expect(said).toMatch(new RegExp(`kubelet\\.yaml:.*${field}`));
    }
    expect(said).not.toContain('agent starting');
    expect(existsSync(adminSocketPath(node.folder.rootDir))).toBe(false);
    expect(await listRuntime(node.runtime.cri)).toEqual({ sandboxes: [], containers: [] });
  });

  it('exits with 1 under its launcher, too, which does not try again', async () => {
    await node.folder.configure({ maxPods: -1 });
    expect(await node.spawnAgent({ launcher: 'yes' }).ended).toEqual({ code: 1, signal: null });
  });
});
