import { describe, expect, it } from 'vitest';
import type { RuntimeHealth } from '../../../actors/cri-gateway/protocol.ts';
import { PodManager } from '../../../actors/pod-manager/actor.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import type { PodSourceChange } from '../../../src/pod/source/pod-source-change.ts';
import type { NodeAddressesObserved } from '../../../actors/node-addresses/protocol.ts';
import type { RuntimePodName } from '../../../actors/pleg/protocol.ts';
import { defaultRestartRule } from '../../../src/actor/supervision/child.ts';
import type { PodWorkerCommand } from '../../../actors/pod-worker/protocol.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { filePod, runtimePod } from './manager-support.ts';

const up: RuntimeHealth = {
  state: 'up',
  since: 0,
  runtime: { name: 'containerd', version: '2', runtimeReady: true, networkNotReady: 'no cni' },
};
const wants = (parts: Partial<PodSourceChange>): PodSourceChange => ({
  type: 'source-changed',
  source: 'file',
  session: [1, 1],
  number: 1,
  set: [],
  gone: [],
  complete: true,
  ...parts,
});

const nodeHas = (...ips: readonly string[]): NodeAddressesObserved => ({
  type: 'node-addresses-observed',
  addresses: ips.map((address) => ({ type: 'InternalIP', address })),
  from: 'host',
});

async function manager({
  pods = [] as readonly RuntimePodName[],
  health = up,
  addresses = (): unknown => nodeHas('10.0.0.7'),
} = {}) {
  const runtime = { pods, health };
  const actor = await actorUnderTest<PodManagerProtocol>({
    address: 'pod-manager',
    make: (context) =>
      new PodManager(context, {
        allocations: { read: () => undefined, write() {}, readVictims: () => [], writeVictims() {} },
        sources: ['file'],
        recordEvent: () => {},
        podThreads: ['here'],
        threadOf: () => 'here',
        workerRule: { restart: defaultRestartRule, stopWithinMs: 1_000 },
      }),
    others: {
      pleg: () => runtime.pods,
      'cri-gateway': () => runtime.health,
      'node-addresses': addresses,
      'pod-source-file': () => undefined,
      'status-manager': () => undefined,
    },
    started: ['pod-worker'],
  });
  return { ...actor, runtime };
}

describe('the pod manager', () => {
  it('asks the source for all pods, PLEG for the pods in the runtime, and then starts workers', async () => {
    const { take, tell, host } = await manager();
    expect(take('pod-source-file')).toEqual([{ type: 'send-all' }]);
    await tell(wants({ set: [filePod('a')] }));
    expect(host.addresses('pod-worker')).toEqual(['pod-worker/a']);
    expect(take('pod-worker/a')).toMatchObject([{ type: 'sync-pod', pod: { metadata: { uid: 'a' } } }]);
  });

  it('starts nothing before the runtime has answered, and asks until it does', async () => {
    const { runtime, tell, pass, host } = await manager({ health: { state: 'connecting' } });
    await tell(wants({ set: [filePod('a')] }));
    await pass(1_000);
    expect(host.addresses('pod-worker')).toEqual([]);
    runtime.health = up;
    await pass(1_000);
    expect(host.addresses('pod-worker')).toEqual(['pod-worker/a']);
  });

  it('removes pods in the runtime that no source wants', async () => {
    const { take, tell } = await manager({ pods: [runtimePod('x')] });
    await tell(wants({}));
    expect(take('pod-worker/x')).toEqual([{ type: 'terminate-runtime-pod', name: 'pod-x', namespace: 'shop' }]);
  });

  it("sends a restarted worker the runtime's health, and then its pod", async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    take('pod-worker/a');
    await tell({ type: 'worker-restarted', podUid: podUid('a') });
    expect(take('pod-worker/a').map(({ type }) => type)).toEqual(['runtime-health-changed', 'sync-pod']);
  });

  it('repeats a missed instruction to its worker, and to no other', async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    const [first] = take('pod-worker/a').filter(({ type }) => type === 'sync-pod');
    const { sequence = 0 } = first as Extract<PodWorkerCommand, { type: 'sync-pod' }>;
    await tell({ type: 'sequence-reported', podUid: podUid('a'), sequence });
    expect(take('pod-worker/a')).toEqual([]);
    await tell({ type: 'sequence-reported', podUid: podUid('a'), sequence: sequence - 1 });
    expect(take('pod-worker/a')).toMatchObject([{ type: 'sync-pod', sequence: expect.any(Number) as number }]);
  });

  it('drops the status of a removed pod', async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    take('status-manager');
    await tell({ type: 'pod-terminated', podUid: podUid('a'), removed: true });
    expect(take('status-manager')).toMatchObject([{ type: 'forget-pod', podUid: 'a' }]);
  });

  it('sends the workers of its predecessor their pods again after a restart', async () => {
    const { take, tell, crash, pass, host } = await manager({ pods: [runtimePod('a'), runtimePod('b')] });
    await tell(wants({ set: [filePod('a'), filePod('b')] }));
    await crash();
    await pass(10_000);
    expect(take('pod-source-file')).toEqual([{ type: 'send-all' }, { type: 'send-all' }]);
    for (const uid of ['a', 'b']) take(`pod-worker/${uid}`);
    // What was under way before may say that it is all there is: it is not.
    await tell(wants({ number: 2, set: [filePod('a')] }));
    expect(take('pod-worker/b')).toEqual([]);
    await tell(wants({ session: [1, 2], set: [filePod('a')] }));
    expect(take('pod-worker/a').map(({ type }) => type)).toEqual(['sync-pod']);
    expect(take('pod-worker/b').map(({ type }) => type)).toEqual(['terminate-runtime-pod']);
    expect(host.addresses('pod-worker')).toHaveLength(2);
  });

  it('lists desired pods and pods that still terminate', async () => {
    const { ask, tell } = await manager();
    await tell(wants({ set: [filePod('a'), filePod('b')] }));
    await tell(wants({ number: 2, gone: [podUid('a')] }));
    const pods = (await ask({ type: 'all-pods' })) as readonly { metadata: { uid: string } }[];
    expect(pods.map(({ metadata }) => metadata.uid)).toEqual(['b', 'a']);
  });

  it('reports that all pods are gone after the last worker has reported it', async () => {
    const { ask, tell, take, quiet } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    take('pod-worker/a');
    let answer: unknown;
    void ask({ type: 'remove-all-pods' }).then((all) => (answer = all));
    await quiet();
    expect(take('pod-worker/a')).toEqual([{ type: 'terminate-pod' }]);
    expect(answer).toBeUndefined();
    await tell({ type: 'pod-terminated', podUid: podUid('a'), removed: true });
    expect(answer).toBe('all-removed');
  });
});

describe('the addresses of the node', () => {
  it('are sent with each pod', async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    expect(take('pod-worker/a')).toMatchObject([{ type: 'sync-pod', hostIps: ['10.0.0.7'] }]);
  });

  it('are sent to every worker when they change, and only then', async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a'), filePod('b')] }));
    take('pod-worker/a');
    take('pod-worker/b');
    await tell(nodeHas('10.0.0.7'));
    expect(take('pod-worker/a')).toEqual([]);
    await tell(nodeHas('10.0.0.8'));
    for (const worker of ['pod-worker/a', 'pod-worker/b'] as const)
      expect(take(worker)).toMatchObject([{ type: 'host-ips-changed', hostIps: ['10.0.0.8'] }]);
  });

  it('reach a worker that missed the change with its pod', async () => {
    const { take, tell } = await manager();
    await tell(wants({ set: [filePod('a')] }));
    const [first] = take('pod-worker/a');
    const { sequence = 0 } = first as Extract<PodWorkerCommand, { type: 'sync-pod' }>;
    await tell(nodeHas('10.0.0.8'));
    take('pod-worker/a');
    await tell({ type: 'sequence-reported', podUid: podUid('a'), sequence });
    expect(take('pod-worker/a')).toMatchObject([{ type: 'sync-pod', hostIps: ['10.0.0.8'] }]);
  });

  it('are waited for before the first worker starts, but not for ever', async () => {
    const { take, tell, pass, host } = await manager({ addresses: () => new Promise(() => {}) });
    await tell(wants({ set: [filePod('a')] }));
    await pass(3_000);
    expect(host.addresses('pod-worker')).toEqual([]);
    await pass(4_000);
    expect(take('pod-worker/a')).toMatchObject([{ type: 'sync-pod', hostIps: [] }]);
    await tell(nodeHas('10.0.0.7'));
    expect(take('pod-worker/a')).toMatchObject([{ type: 'host-ips-changed', hostIps: ['10.0.0.7'] }]);
  });
});
