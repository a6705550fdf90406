import { afterAll, beforeAll, expect, it } from 'vitest';
import { placementOf, treeOf } from '../../actors/tree.ts';
import type { Provocation } from '../../src/actor/thread-control.ts';
import { actorRestarts } from '../support/agent-process/actor-restarts.ts';
import { hivelet } from '../support/agent-process/agent-process.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import {
  identities,
  onNode,
  untilAllRunning,
  untilGone,
  untilRunning,
} from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { isOfPod, listRuntime, runningContainers, watchForDoubles } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const PODS = ['one', 'two', 'three', 'four'];
const threadOf = placementOf(treeOf('standard'));
/** A thread that hangs is given this long before it is replaced. */
const HANG_BUDGET_MS = 10_000;

type Fault =
  | { readonly what: 'actor'; readonly actor: string }
  | { readonly what: 'thread'; readonly thread: string; readonly how: Provocation };

const crash = (actor: string) => ({ name: `${actor} throws`, fault: { what: 'actor', actor } }) as const;
const end = (thread: string, how: Provocation) =>
  ({ name: `thread ${thread} is made to ${how}`, fault: { what: 'thread', thread, how } }) as const;

const FAULTS: readonly { readonly name: string; readonly fault: Fault }[] = [
  crash('pod-worker'),
  crash('pleg'),
  crash('cri-gateway'),
  crash('pod-manager'),
  crash('pod-source-file'),
  crash('status-manager'),
  crash('job-pool'),
  ...['pleg', 'pods-0', 'cri', 'node'].flatMap((thread) => [end(thread, 'exit'), end(thread, 'throw')]),
  end('pods-1', 'hang'),
];

describeOnRuntimes('a fault inside the agent', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    for (const name of PODS) await node.folder.put(`${name}.yaml`, podManifest(name));
    // Taken away and added by the tests, so that both are done across a fault.
    await node.folder.put('leaving.yaml', podManifest('leaving'));
    await node.startAgent();
    await untilAllRunning(node.admin, PODS.length + 1, 30_000);
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  const addressOf = async (kindOrAddress: string): Promise<string> => {
    if (kindOrAddress !== 'pod-worker') return kindOrAddress;
    const pod = (await node.admin.pods()).find(({ metadata }) => metadata.name === onNode('one'));
    return `pod-worker/${pod?.metadata.uid}`;
  };
  const provoke = async (fault: Fault): Promise<void> => {
    if (fault.what === 'thread') await hivelet(node.folder, 'debug', 'thread', fault.thread, fault.how);
    else await hivelet(node.folder, 'debug', 'crash', await addressOf(fault.actor));
  };
  const reports = async (): Promise<readonly LogLine[]> =>
    (await node.folder.log()).filter(({ msg }) => msg === 'crashed');
  const settledPods = async () =>
    Object.fromEntries(
      (await node.admin.pods())
        .filter(({ metadata }) => PODS.some((name) => metadata.name === onNode(name)))
        .map(({ metadata, status }) => [metadata.name, status] as const),
    );
  const ofSettled = (byPod: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(byPod).filter(([key]) => PODS.some((name) => key.startsWith(`${onNode(name)}/`))),
    );

  it.each(FAULTS)('where $name: its duty is resumed, and nobody else notices', async ({ fault }) => {
    const shown = await settledPods();
    const ran = ofSettled(await runningContainers(node.runtime.cri));
    const restarts = await actorRestarts(node.admin);
    const told = await reports();
    const watch = watchForDoubles(node.runtime.cri);
    const began = performance.now();

    await provoke(fault);
    // While the fault is still being dealt with: a pod is taken away, and another one comes.
    await node.folder.remove('leaving.yaml');
    await node.folder.put('coming.yaml', podManifest('coming'));
    const withinMs = fault.what === 'thread' && fault.how === 'hang' ? HANG_BUDGET_MS + 15_000 : 15_000;
    await untilRunning(node.admin, 'coming', withinMs);
    await untilGone(node.admin, 'leaving', withinMs);
    const tookMs = performance.now() - began;

    expect((await watch.end()).breaches).toEqual([]);
    // The same containers, never restarted; and not even their status has become another one.
    expect(ofSettled(await runningContainers(node.runtime.cri))).toEqual(ran);
    expect(await settledPods()).toEqual(shown);
    const { containers, sandboxes } = await listRuntime(node.runtime.cri);
    expect([...containers, ...sandboxes].filter(isOfPod(onNode('leaving')))).toEqual([]);
    expect({ containers: containers.length, sandboxes: sandboxes.length }).toEqual({
      containers: PODS.length + 1,
      sandboxes: PODS.length + 1,
    });
    // Told once, and no one else crashed.
    const child = fault.what === 'thread' ? `thread/${fault.thread}` : await addressOf(fault.actor);
    expect((await reports()).slice(told.length)).toMatchObject([{ child, verdict: 'restart' }]);
    const hit = fault.what === 'thread' ? fault.thread : threadOf(child);
    for (const [thread, actors] of Object.entries(restarts)) {
      if (thread === hit && fault.what === 'thread') continue;
      const now = (await actorRestarts(node.admin))[thread] ?? {};
      for (const [address, before] of Object.entries(actors)) {
        if (now[address] !== undefined) expect({ [address]: now[address] }).toEqual({ [address]: before + (address === child ? 1 : 0) });
      }
    }
    process.stdout.write(`${JSON.stringify(fault)} on ${kind}: all done after ${Math.round(tookMs)} ms\n`);

    // As it was, for the next one.
    await node.folder.remove('coming.yaml');
    await untilGone(node.admin, 'coming');
    await node.folder.put('leaving.yaml', podManifest('leaving'));
    await untilRunning(node.admin, 'leaving');
  });
});

const WAVE = 30;

describeOnRuntimes(`a fault while ${WAVE} pods start`, ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.start(kind);
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  it.each([
    { name: 'a pods thread and the pleg thread end', threads: ['pods-0', 'pleg'] },
    { name: 'the cri thread and the node thread end', threads: ['cri', 'node'] },
  ])('where $name: all run in the end, each once', async ({ threads }) => {
    const names = Array.from({ length: WAVE }, (_, index) => `${threads[0]}-${index}`);
    const watch = watchForDoubles(node.runtime.cri);
    for (const name of names) await node.folder.put(`${name}.yaml`, podManifest(name, { initContainers: ['prepares'] }));
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
      `wave of ${WAVE} pods on ${kind}, ${threads.join(' and ')} killed: ${Math.round(performance.now() - began)} ms\n`,
    );
    const { looks, breaches } = await watch.end();
    expect(breaches).toEqual([]);
    expect(looks).toBeGreaterThan(5);
    expect(new Set(Object.values(await identities(node.admin)).map((text) => text.replace(/^\S+ /, '')))).toEqual(
      new Set(['restarted 0 times']),
    );
    const { containers, sandboxes } = await listRuntime(node.runtime.cri);
    // One sandbox, one app, and what is left of the init container.
    expect(sandboxes).toHaveLength(WAVE);
    expect(containers.filter(({ metadata }) => metadata?.name === 'app')).toHaveLength(WAVE);
    expect(Object.keys(await runningContainers(node.runtime.cri))).toHaveLength(WAVE);

    for (const name of names) await node.folder.remove(`${name}.yaml`);
    await waitUntil(async () => (await node.admin.pods()).length === 0, { what: 'all are gone', withinMs: 60_000 });
    expect(await listRuntime(node.runtime.cri)).toEqual({ containers: [], sandboxes: [] });
  });
});
