import { SERVER_CERTIFICATE } from '../../../actors/certificate-manager/protocol.ts';
import { POD_MANAGER } from '../../../actors/pod-manager/protocol.ts';
import { describe, expect, it } from 'vitest';
import { NodeStatusActor } from '../../../actors/node-status/actor.ts';
import type { NodeStatusProtocol } from '../../../actors/node-status/protocol.ts';
import { ListImagesResponse, StatusResponse } from '../../../src/cri/gen/api.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiRequest } from '../../../src/api/api-request.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import type { Node } from '../../../src/kube/node.ts';
import { apiUnderTest, done } from '../../embedded/apiserver/api-under-test.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { machine, nodeStatusSettings } from '../../support/node-machine.ts';

const PATH = '/api/v1/nodes/node-1';

/** A node on an API server in this process, with a watch of its object. */
async function watchedNode(addresses = ['10.0.0.7', 'fd00::7']) {
  const server = apiUnderTest();
  const requests: ApiRequest[] = [];
  const transport = inProcessTransport(server.core, { intercept: (request) => void requests.push(request) });
  const cri = new FakeCriClient({
    ListImages: () => ({ ok: true, value: ListImagesResponse.fromPartial({}) }),
    Status: () => ({
      ok: true,
      value: StatusResponse.fromPartial({
        status: {
          conditions: [
            { type: 'RuntimeReady', status: true },
            { type: 'NetworkReady', status: true },
          ],
        },
      }),
    }),
  });
  const runtime = { name: 'containerd', version: 'v2', runtimeReady: true, networkNotReady: '' };
  const actor = await actorUnderTest<NodeStatusProtocol>({
    address: 'node-status',
    make: (context) =>
      new NodeStatusActor(context, {
        call: (request) => transport.call(request, 1_000),
        cri,
        host: {
          machine: () => machine,
          addresses: () => addresses.map((address) => ({ interface: 'eth0', address })),
          routes: () => ['', ''],
          resolve: async () => [],
        },
        settings: {
          ...nodeStatusSettings,
          registration: { ...nodeStatusSettings.registration, nodeIps: addresses },
        },
        listeners: [POD_MANAGER],
        addressListeners: [SERVER_CERTIFICATE],
        recordEvent: () => {},
      }),
    others: {
      'cri-gateway': () => ({ state: 'up', since: 0, runtime }),
      pleg: () => ({ healthy: true, lastRelistAgeMs: 1_000, currentRelistAgeMs: undefined }),
      'pod-manager': () => undefined,
      'server-certificate': () => undefined,
      'api-gateway': () => undefined,
    },
    startMs: Date.UTC(2026, 4, 1, 12),
  });
  /** The gateway's part. */
  const openWatches = async (): Promise<void> => {
    for (const command of actor.take('api-gateway')) {
      const { type, watch, path } = command as { type: string; watch: string; path: string };
      if (type !== 'open-watch') continue;
      transport.watch(path, {
        events: (events) => actor.host.tell('node-status', { type: 'watch-events', watch, events } as never),
        ended: (fault) => actor.host.tell('node-status', { type: 'watch-ended', watch, fault } as never),
      });
    }
    await actor.quiet();
  };
  await openWatches();
  // The object under this path is a Node.
  const node = async () => (await done(server.api.get(PATH))) as unknown as Node;
  const patch = async (path: string, body: object): Promise<void> => {
    await done(apiClient((request) => server.transport.call(request, 1_000)).patch(path, { type: 'merge', body }));
    await actor.quiet();
  };
  const takeCalls = () => requests.splice(0).map(({ verb, path }) => `${verb} ${path.split('?')[0]}`);
  takeCalls();
  return { ...actor, server, node, patch, takeCalls };
}

describe('a node that is watched', () => {
  it('receives changes by others at once, and does not read its object any more', async () => {
    const { patch, takeCalls, take, pass, ask } = await watchedNode();
    take('pod-manager');
    await patch(PATH, { metadata: { labels: { team: 'a' } }, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
    expect(take('pod-manager')).toMatchObject([
      {
        type: 'node-observed',
        node: { metadata: { labels: { team: 'a' } }, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } },
      },
    ]);
    await pass(120_000);
    expect(takeCalls()).toEqual([]);
    expect(await ask({ type: 'node-object' })).toMatchObject({ metadata: { labels: { team: 'a' } } });
  });

  it('has both addresses of a dual-stack node, and changes them together', async () => {
    const addresses = ['10.0.0.7', 'fd00::7'];
    const { node, pass } = await watchedNode(addresses);
    const internal = async () => (await node()).status?.addresses?.map(({ address }) => address);
    expect(await internal()).toEqual(['10.0.0.7', 'fd00::7', 'node-1']);
    addresses.pop();
    addresses.push('fd00::8');
    await pass(11_000);
    expect(await internal()).toEqual(['10.0.0.7', 'fd00::8', 'node-1']);
  });

  it('patches its own conditions beside those of others', async () => {
    const { node, patch, tell } = await watchedNode();
    const network = { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' };
    const { status } = await node();
    await patch(`${PATH}/status`, { status: { conditions: [...(status?.conditions ?? []), network] } });
    await tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
    const conditions = (await node()).status?.conditions?.map((condition) => `${condition.type} ${condition.status}`);
    expect(conditions?.toSorted()).toEqual([
      'DiskPressure False',
      'MemoryPressure True',
      'NetworkUnavailable False',
      'PIDPressure False',
      'Ready True',
    ]);
  });

  it('is registered again at once when its object is deleted', async () => {
    const { node, server, quiet, takeCalls } = await watchedNode();
    const before = (await node()).metadata.uid;
    takeCalls();
    await done(server.api.delete(PATH, {}));
    await quiet();
    expect((await node()).metadata.uid).not.toBe(before);
    expect(takeCalls()).toEqual(['create /api/v1/nodes']);
  });

  it('ignores the echo of its own writes', async () => {
    const { tell, quiet, takeCalls, take } = await watchedNode();
    take('pod-manager');
    await tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
    await quiet();
    expect(takeCalls()).toEqual([`patch ${PATH}/status`]);
    expect(take('pod-manager')).toEqual([]);
  });
});
