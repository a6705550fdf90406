import { describe, expect, it } from 'vitest';
import { PodManager } from '../../../actors/pod-manager/actor.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import type { ServerReads } from '../../../actors/pod-manager/server/server-reads.ts';
import { defaultRestartRule } from '../../../src/actor/supervision/child.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { apiPod } from './cluster-support.ts';
import { runtimePod } from './manager-support.ts';

const health = {
  state: 'up',
  since: 0,
  runtime: { name: 'containerd', version: '2', runtimeReady: true, networkNotReady: '' },
} as const;

/** A pod manager in a cluster whose runtime has the pod `x`. The server is away until it is given answers. */
async function manager() {
  const server = {
    node: 'unknown' as Awaited<ReturnType<ServerReads['node']>>,
    pod: 'unknown' as Awaited<ReturnType<ServerReads['pod']>>,
    asked: [] as string[],
  };
  const reads: ServerReads = {
    async node() {
      server.asked.push('node');
      return server.node;
    },
    async pod({ namespace, name }) {
      server.asked.push(`${namespace}/${name}`);
      return server.pod;
    },
  };
  const actor = await actorUnderTest<PodManagerProtocol>({
    address: 'pod-manager',
    make: (context) =>
      new PodManager(context, {
        allocations: { read: () => undefined, write() {}, readVictims: () => [], writeVictims() {} },
        sources: ['api'],
        node: { name: 'n1', labels: {}, os: 'linux', allocatable: {}, taints: [], strictSupplementalGroups: true },
        server: reads,
        recordEvent: () => {},
        podThreads: ['here'],
        threadOf: () => 'here',
        workerRule: { restart: defaultRestartRule, stopWithinMs: 1_000 },
      }),
    others: {
      pleg: () => [runtimePod('x')],
      'cri-gateway': () => health,
      'pod-source-api': () => undefined,
      'status-manager': () => undefined,
      'probe-manager': () => undefined,
      'mirror-pods': () => undefined,
      'node-status': () => ({ addresses: [], from: 'node', node: { metadata: { name: 'n1' } } }),
    },
    started: ['pod-worker'],
  });
  const source = (set: readonly Pod[]) =>
    actor.tell({ type: 'source-changed', source: 'api', session: [1, 1], number: 1, set, gone: [], complete: true });
  return { ...actor, server, source };
}

describe('a pod manager that must not rest on what a watch has not brought', () => {
  it('asks for an unknown pod until the server answers, and leaves the pod as it is meanwhile', async () => {
    const { server, source, pass, host, take } = await manager();
    await source([]);
    for (let second = 0; second < 5; second += 1) await pass(1_000);
    expect(server.asked).toEqual(Array.from({ length: 6 }, () => 'shop/pod-x'));
    expect(host.addresses('pod-worker')).toEqual([]);
    server.pod = 'has-no-pod';
    await pass(1_000);
    expect(take('pod-worker/x')).toMatchObject([{ type: 'terminate-runtime-pod' }]);
  });

  it('says in the log which pod the server has that its list did not bring', async () => {
    const { server, source, logged, host } = await manager();
    server.pod = 'has-pod';
    await source([]);
    expect(logged.join()).toContain('the API server has a pod that its list did not bring');
    expect(host.addresses('pod-worker')).toEqual([]);
  });

  it('reads the node until the server answers before it rejects a pod for a missing label', async () => {
    const { server, source, pass, host } = await manager();
    await source([apiPod('x'), apiPod('a', { nodeSelector: { disk: 'ssd' } })]);
    await pass(5_000);
    expect(new Set(server.asked)).toEqual(new Set(['node']));
    expect(host.addresses('pod-worker')).toEqual(['pod-worker/x']);
    server.node = { metadata: { name: 'n1', labels: { disk: 'ssd' } } };
    await pass(1_000);
    expect(host.addresses('pod-worker')).toEqual([`pod-worker/${podUid('x')}`, `pod-worker/${podUid('a')}`]);
  });
});
