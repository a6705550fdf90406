import { afterAll, beforeAll, expect, it } from 'vitest';
import { placementOf } from '../../src/agent/tree.ts';
import { treeOf } from '../../actors/tree.ts';
import type { Provocation } from '../../src/actor/threads/thread-control.ts';
import { actorRestarts } from '../support/agent-process/actor-restarts.ts';
import { hivelet } from '../support/agent-process/agent-process.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, untilAllRunning, untilGone, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import {
  listRuntime,
  runningContainers,
  untilNothingOf,
  watchForDoubles,
} from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { containerdAvailability } from '../support/containerd/containerd-availability.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const PODS = ['one', 'two', 'three', 'four'];
const threadOf = placementOf(treeOf('standard', { api: 'standalone', serves: false }));
/** A thread that hangs is given this long before it is replaced. */
const HANG_BUDGET_MS = 10_000;

type Fault =
  | { readonly what: 'actor'; readonly actor: string }
  | { readonly what: 'thread'; readonly thread: string; readonly how: Provocation };

const crash = (actor: string) => ({ name: `${actor} throws`, fault: { what: 'actor', actor } }) as const;
const end = (thread: string, how: Provocation) =>
  ({ name: `thread ${thread} is made to ${how}`, fault: { what: 'thread', thread, how } }) as const;

const hang = end('pods-1', 'hang');
const FAULTS: readonly { readonly name: string; readonly fault: Fault }[] = [
  crash('pod-worker'),
  crash('pleg'),
  crash('cri-gateway'),
  crash('pod-manager'),
  crash('pod-source-file'),
  crash('status-manager'),
  crash('job-pool'),
  ...['pleg', 'pods-0', 'cri', 'node'].flatMap((thread) => [end(thread, 'exit'), end(thread, 'throw')]),
];

describeOnRuntimes('a fault inside the agent', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  // Two pods are removed and added across each fault, and swap roles for the next fault.
  let [leaving, coming] = ['ebb', 'flow'];

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    for (const name of PODS) await node.folder.put(`${name}.yaml`, podManifest(name));
    await node.folder.put(`${leaving}.yaml`, podManifest(leaving));
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

  // Ten seconds long, for something that has little to do with the runtime.
  const faults = kind === 'containerd' || !containerdAvailability().available ? [...FAULTS, hang] : FAULTS;

  it.each(faults)('$name: its duty is resumed, and no other actor is affected', async ({ fault }) => {
    const shown = await settledPods();
    const ran = ofSettled(await runningContainers(node.runtime.cri));
    const restarts = await actorRestarts(node.admin);
    const told = await reports();
    const watch = watchForDoubles(node.runtime.cri);
    const began = performance.now();

    await provoke(fault);
    // During the recovery from the fault a pod is removed, and another pod is added.
    await node.folder.remove(`${leaving}.yaml`);
    await node.folder.put(`${coming}.yaml`, podManifest(coming));
    const withinMs = fault.what === 'thread' && fault.how === 'hang' ? HANG_BUDGET_MS + 15_000 : 15_000;
    await untilRunning(node.admin, coming, withinMs);
    await untilGone(node.admin, leaving, withinMs);
    await untilNothingOf(node.runtime.cri, onNode(leaving), withinMs);
    // A hanging thread is detected only after a while, and the two pods may be on other threads.
    await waitUntil(async () => (await reports()).length > told.length, { what: 'a report of it', withinMs });
    const after = await actorRestarts(node.admin);
    const tookMs = performance.now() - began;

    expect((await watch.end()).breaches).toEqual([]);
    // The same containers, never restarted, with an unchanged status.
    expect(ofSettled(await runningContainers(node.runtime.cri))).toEqual(ran);
    expect(await settledPods()).toEqual(shown);
    const { containers, sandboxes } = await listRuntime(node.runtime.cri);
    expect({ containers: containers.length, sandboxes: sandboxes.length }).toEqual({
      containers: PODS.length + 1,
      sandboxes: PODS.length + 1,
    });
    // Reported once, and no other actor crashed.
    const child = fault.what === 'thread' ? `thread/${fault.thread}` : await addressOf(fault.actor);
    expect((await reports()).slice(told.length)).toMatchObject([{ child, verdict: 'restart' }]);
    const hit = fault.what === 'thread' ? fault.thread : threadOf(child);
    for (const [thread, actors] of Object.entries(restarts)) {
      // A new thread counts from zero.
      if (fault.what === 'thread' && thread === hit) continue;
      // The worker of the pod that has left is gone.
      const expected = Object.entries(actors).filter(([address]) => after[thread]?.[address] !== undefined);
      expect(after[thread]).toMatchObject(
        Object.fromEntries(expected.map(([address, times]) => [address, times + (address === child ? 1 : 0)])),
      );
    }
    process.stdout.write(`${JSON.stringify(fault)} on ${kind}: all done after ${Math.round(tookMs)} ms\n`);
    [leaving, coming] = [coming, leaving];
  });
});
