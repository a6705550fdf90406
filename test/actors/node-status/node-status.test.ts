import { SERVER_CERTIFICATE } from '../../../actors/certificate-manager/protocol.ts';
import { POD_MANAGER } from '../../../actors/pod-manager/protocol.ts';
import { describe, expect, it } from 'vitest';
import { NodeStatusActor } from '../../../actors/node-status/actor.ts';
import type { RuntimeHealth, RuntimeHealthChanged } from '../../../actors/cri-gateway/protocol.ts';
import type { NodeAddressesObserved } from '../../../actors/node-addresses/protocol.ts';
import type { NodeEvent } from '../../../actors/node-status/node-events.ts';
import type { NodeStatusProtocol } from '../../../actors/node-status/protocol.ts';
import type { NodeStatusSettings } from '../../../actors/node-status/state.ts';
import { ListImagesResponse, StatusResponse } from '../../../src/cri/gen/api.ts';
import type { Node } from '../../../src/kube/node.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { fakeNodeApi, forbidden, tooMany, unreachable, type FakeNodeApi } from '../../support/fake-node-api.ts';
import { machine, nodeStatusSettings } from '../../support/node-machine.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const PATH = '/api/v1/nodes/node-1';
const up = (networkNotReady = '') =>
  ({
    type: 'runtime-health-changed',
    health: {
      state: 'up',
      since: 0,
      runtime: { name: 'containerd', version: 'v2.1.0', runtimeReady: true, networkNotReady },
    },
  }) as const;
const down = {
  type: 'runtime-health-changed',
  health: { state: 'down', since: 0, fault: { code: 'UNAVAILABLE', detail: 'gone' } },
} as const;

/** The runtime's answer to Status. */
const runtimeStatus = (network: 'up' | 'down' = 'up') => ({
  ok: true as const,
  value: StatusResponse.fromPartial({
    status: {
      conditions: [
        { type: 'RuntimeReady', status: true },
        network === 'up'
          ? { type: 'NetworkReady', status: true }
          : {
              type: 'NetworkReady',
              status: false,
              reason: 'NetworkPluginNotReady',
              message: 'cni plugin not initialized',
            },
      ],
    },
    runtimeHandlers: [{ name: 'runc', features: { recursiveReadOnlyMounts: true } }, { name: '' }],
    features: { supplementalGroupsPolicy: true },
  }),
});

interface World {
  readonly api?: FakeNodeApi;
  readonly settings?: Partial<NodeStatusSettings>;
  readonly runtime?: 'up' | 'silent';
  readonly bootId?: string;
  readonly startMs?: number;
  readonly startWarnings?: readonly NodeEvent[];
  readonly resolve?: () => Promise<readonly string[]>;
  readonly images?: 'listed' | 'hanging';
}

async function nodeStatus(world: World = {}) {
  const { api = fakeNodeApi(), settings = {}, runtime = 'up', bootId = 'boot-1', startMs = START } = world;
  const events: NodeEvent[] = [];
  const host = { address: '10.0.0.7' };
  let health: RuntimeHealth = runtime === 'up' ? up().health : { state: 'connecting' };
  const cri = new FakeCriClient({
    Status: () => runtimeStatus(),
    ListImages: () =>
      world.images === 'hanging'
        ? new Promise(() => {})
        : {
            ok: true,
            value: ListImagesResponse.fromPartial({ images: [{ repoTags: ['web:1'], size: 10n }] }),
          },
  });
  const actor = await actorUnderTest<NodeStatusProtocol>({
    address: 'node-status',
    make: (context) =>
      new NodeStatusActor(context, {
        call: api.call,
        cri,
        host: {
          machine: () => ({ ...machine, bootId }),
          addresses: () => [{ interface: 'eth0', address: host.address }],
          routes: () => ['Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0100000A\t0003\n', ''],
          resolve: world.resolve ?? (async () => []),
        },
        settings: { ...nodeStatusSettings, ...settings },
        listeners: [POD_MANAGER],
        addressListeners: [SERVER_CERTIFICATE],
        recordEvent: (event) => void events.push(event),
        ...(world.startWarnings !== undefined && { startWarnings: world.startWarnings }),
      }),
    others: {
      'cri-gateway': () => health,
      pleg: () => ({ healthy: true, lastRelistAgeMs: 1_000, currentRelistAgeMs: undefined }),
      'pod-manager': () => undefined,
      'server-certificate': () => undefined,
      // The watch never delivers events: the object is read again with every round.
      'api-gateway': () => undefined,
    },
    startMs,
  });
  // The test's API holds what the actor has sent as a Node.
  const node = () => api.objects.get(PATH) as unknown as Node;
  const condition = (type: string) => node().status?.conditions?.find((each) => each.type === type);
  const change = (part: (node: Node) => object) => api.objects.set(PATH, { ...api.objects.get(PATH), ...part(node()) });
  const runtimeIs = async (message: RuntimeHealthChanged): Promise<void> => {
    ({ health } = message);
    await actor.tell(message);
  };
  /** The addresses that were reported, each report in one text. */
  const addresses = (): readonly string[] =>
    actor.take('server-certificate').map((notice) => {
      // The actor is told nothing else.
      const { addresses: all, from } = notice as unknown as NodeAddressesObserved;
      return `${all.map(({ address }) => address).join(' ')} of the ${from}`;
    });
  return {
    ...actor,
    runtimeIs,
    host,
    addresses,
    api,
    cri,
    events,
    node,
    condition,
    change,
    reasons: () => events.map(({ reason }) => reason),
  };
}

describe('a new node', () => {
  it('is registered as ready and with its whole status, in one call', async () => {
    const { api, node, condition, reasons, pass } = await nodeStatus();
    await pass(0);
    expect(api.take()).toEqual(['create /api/v1/nodes']);
    expect(node()).toMatchObject({
      metadata: {
        labels: {
          'kubernetes.io/hostname': 'node-1',
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'beta.kubernetes.io/os': 'linux',
          'beta.kubernetes.io/arch': 'amd64',
        },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.7' },
          { type: 'Hostname', address: 'node-1' },
        ],
        capacity: { cpu: '2', memory: '4Gi', pods: '110', 'ephemeral-storage': '100Gi' },
        allocatable: { cpu: '2', memory: '3996Mi', pods: '110', 'ephemeral-storage': '96636764000' },
        nodeInfo: { containerRuntimeVersion: 'containerd://v2.1.0', kubeletVersion: 'v1.36.2+hivelet' },
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
        images: [{ names: ['web:1'], sizeBytes: 10 }],
        runtimeHandlers: [{ name: '' }, { name: 'runc', features: { recursiveReadOnlyMounts: true } }],
        features: { supplementalGroupsPolicy: true },
      },
    });
    expect(condition('Ready')).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      lastHeartbeatTime: '2026-01-02T03:04:05Z',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    expect(reasons()).toEqual([
      'Starting',
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeReady',
    ]);
  });

  it('is not written before the report is due, and then with all heartbeats', async () => {
    const { api, condition, pass } = await nodeStatus();
    api.take();
    await pass(295_000);
    expect(api.take().filter((call) => !/^(get|list)/.test(call))).toEqual([]);
    await pass(10_000);
    expect(api.take().filter((call) => !/^(get|list)/.test(call))).toEqual([`patch ${PATH}/status`]);
    for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
      expect(condition(type)).toMatchObject({
        lastHeartbeatTime: '2026-01-02T03:09:05Z',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      });
    }
    await pass(290_000);
    expect(api.take().filter((call) => !/^(get|list)/.test(call))).toEqual([]);
  });

  it('is retried with a back-off while the API server is away, and then registered', async () => {
    const api = fakeNodeApi();
    api.fails = () => unreachable;
    const { pass, node, logged } = await nodeStatus({ api });
    await pass(600_000);
    expect(api.take().length).toBeLessThan(100);
    expect(logged.length).toBeLessThan(10);
    api.fails = () => undefined;
    await pass(7_000);
    expect(node().metadata.name).toBe('node-1');
  });

  it('is adopted when its object exists and may not be created', async () => {
    const api = fakeNodeApi();
    api.objects.set(PATH, {
      metadata: { name: 'node-1', uid: 'old', labels: { team: 'a' } },
      spec: { unschedulable: true },
    });
    api.fails = ({ verb }) => (verb === 'create' ? forbidden : undefined);
    const { node, pass } = await nodeStatus({ api });
    await pass(100);
    expect(node()).toMatchObject({
      metadata: { uid: 'old', labels: { team: 'a', 'kubernetes.io/os': 'linux' } },
      spec: { unschedulable: true },
      status: { capacity: { cpu: '2' } },
    });
  });

  it('waits for its object when it does not register itself', async () => {
    const { api, pass, node } = await nodeStatus({ settings: { registerNode: false } });
    await pass(30_000);
    expect(api.take().every((call) => call === `get ${PATH}`)).toBe(true);
    api.objects.set(PATH, { metadata: { name: 'node-1', uid: 'given', labels: {} } });
    await pass(11_000);
    expect(node().status?.capacity).toMatchObject({ cpu: '2' });
  });

  it('is not ready after five seconds without the runtime, and ready as soon as the runtime answers', async () => {
    const { api, condition, runtimeIs, pass } = await nodeStatus({ runtime: 'silent' });
    await pass(4_000);
    expect(api.take()).toEqual([]);
    await pass(1_000);
    expect(condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'container runtime status check may not have completed yet',
    });
    api.take();
    await pass(3_000);
    await runtimeIs(up());
    expect(api.take()).toEqual([`patch ${PATH}/status`]);
    expect(condition('Ready')).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-02T03:04:13Z' });
  });
});

describe('the Ready condition of a node', () => {
  it('is false at once when the network is not ready, with the runtime’s message', async () => {
    const { cri, runtimeIs, condition, reasons } = await nodeStatus();
    cri.script = { ...cri.script, Status: () => runtimeStatus('down') };
    await runtimeIs(up('cni plugin not initialized'));
    expect(condition('Ready')).toMatchObject({
      status: 'False',
      message:
        'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
    });
    expect(reasons().at(-1)).toBe('NodeNotReady');
  });

  it('is false after thirty seconds without the runtime, not earlier', async () => {
    const { runtimeIs, condition, pass } = await nodeStatus();
    await runtimeIs(down);
    await pass(29_000);
    expect(condition('Ready')?.status).toBe('True');
    await pass(1_000);
    expect(condition('Ready')).toMatchObject({ status: 'False', message: 'container runtime is down' });
    await runtimeIs(up());
    expect(condition('Ready')?.status).toBe('True');
  });

  it('is false while an actor reports an error, until it withdraws the report', async () => {
    const { tell, condition } = await nodeStatus();
    const problem = (text: string | undefined) =>
      ({ type: 'node-problem', source: 'node-shutdown', severity: 'problem', text }) as const;
    await tell(problem('node is shutting down'));
    expect(condition('Ready')).toMatchObject({ status: 'False', message: 'node is shutting down' });
    await tell(problem(undefined));
    expect(condition('Ready')?.status).toBe('True');
  });

  it('leaves pressure conditions with a reason, an event and a transition time of their own', async () => {
    const { tell, condition, reasons, pass } = await nodeStatus();
    await pass(5_000);
    await tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
    expect(condition('MemoryPressure')).toMatchObject({
      status: 'True',
      reason: 'KubeletHasInsufficientMemory',
      lastTransitionTime: '2026-01-02T03:04:10Z',
    });
    expect(condition('DiskPressure')).toMatchObject({ lastTransitionTime: '2026-01-02T03:04:05Z' });
    expect(reasons().at(-1)).toBe('NodeHasInsufficientMemory');
  });
});

describe('changes by other clients', () => {
  it('are kept: labels, taints, conditions, resources', async () => {
    const { api, change, node, tell, pass } = await nodeStatus();
    const network = { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' } as const;
    change(({ metadata, status }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, team: 'a' }, annotations: { note: 'b' } },
      spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }], unschedulable: true },
      status: {
        ...status,
        conditions: [network, ...(status?.conditions ?? [])],
        capacity: { ...status?.capacity, 'example.com/dongle': '3' },
      },
    }));
    api.take();
    await pass(11_000);
    await tell({ type: 'pressures-observed', pressures: { memory: false, disk: true, pid: false } });
    expect(api.requests.filter(({ verb }) => verb === 'patch').every(({ path }) => path.endsWith('/status'))).toBe(
      true,
    );
    expect(node()).toMatchObject({
      metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
      spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }], unschedulable: true },
      status: { capacity: { 'example.com/dongle': '3' }, allocatable: { 'example.com/dongle': '3' } },
    });
    expect(node().status?.conditions).toContainEqual(network);
  });

  it('are announced, unlike heartbeats', async () => {
    const { change, take, pass, ask } = await nodeStatus();
    take('pod-manager');
    await pass(200_000);
    expect(take('pod-manager')).toEqual([]);
    change(({ metadata }) => ({ metadata: { ...metadata, labels: { ...metadata.labels, team: 'a' } } }));
    await pass(11_000);
    expect(take('pod-manager')).toMatchObject([
      { type: 'node-observed', node: { metadata: { labels: { team: 'a' } } } },
    ]);
    expect(await ask({ type: 'node-object' })).toMatchObject({ metadata: { labels: { team: 'a' } } });
  });

  it('correct changed platform labels', async () => {
    const { change, node, pass } = await nodeStatus();
    change(({ metadata }) => ({ metadata: { ...metadata, labels: { 'kubernetes.io/arch': 'riscv64', team: 'a' } } }));
    await pass(11_000);
    expect(node().metadata.labels).toMatchObject({ 'kubernetes.io/arch': 'amd64', team: 'a' });
  });

  it('record an event when the node is cordoned', async () => {
    const { change, pass, reasons } = await nodeStatus();
    change(() => ({ spec: { unschedulable: true } }));
    await pass(11_000);
    expect(reasons().at(-1)).toBe('NodeNotSchedulable');
  });
});

describe('the node status actor after a failure', () => {
  it('registers a node whose object was deleted again', async () => {
    const { api, node, pass } = await nodeStatus();
    const before = node().metadata.uid;
    api.objects.delete(PATH);
    await pass(11_000);
    expect(node().metadata.uid).not.toBe(before);
    expect(node().status?.conditions).toHaveLength(4);
  });

  it('never patches a recreated object by mistake', async () => {
    const { api, node, tell, pass } = await nodeStatus();
    api.objects.set(PATH, { metadata: { name: 'node-1', uid: 'another', labels: {} } });
    api.take();
    await tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
    await pass(1_000);
    expect(api.take().slice(0, 3)).toEqual([`patch ${PATH}/status`, `get ${PATH}`, `patch ${PATH}`]);
    expect(node()).toMatchObject({ metadata: { uid: 'another' }, status: { capacity: { cpu: '2' } } });
  });

  it.each([
    { rule: 'unreachable', fault: unreachable },
    { rule: 'answering 429', fault: tooMany },
  ])(
    'causes no storm after ten minutes of an API server $rule, and reports as soon as the server is back',
    async ({ fault }) => {
      const { api, condition, pass, tell } = await nodeStatus();
      api.fails = () => fault;
      api.take();
      await tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
      await pass(600_000);
      expect(api.take().length).toBeLessThan(400);
      api.fails = () => undefined;
      await tell({ type: 'api-health-changed', health: { state: 'up', since: 0 } });
      expect(condition('MemoryPressure')?.status).toBe('True');
    },
  );

  it('a restarted agent changes nothing: no condition flaps, no transition time moves', async () => {
    const first = await nodeStatus();
    await first.tell({ type: 'pressures-observed', pressures: { memory: true, disk: false, pid: false } });
    const before = structuredClone(first.node().status);
    first.api.take();
    const second = await nodeStatus({ api: first.api, runtime: 'silent', startMs: START + 60_000 });
    await second.pass(2_000);
    await second.runtimeIs(up());
    await second.pass(1_000);
    expect(first.api.take().filter((call) => call.startsWith('patch'))).toEqual([]);
    expect(second.node().status).toEqual(before);
    expect(second.reasons()).toEqual(['Starting']);
  });

  it('a crash of the actor changes nothing, and repeats no start warnings', async () => {
    const startWarnings = [{ type: 'Warning', reason: 'CgroupV1', message: 'old' }] as const;
    const { api, node, crash, pass, reasons } = await nodeStatus({ startWarnings });
    const before = structuredClone(node().status);
    api.take();
    await crash();
    await pass(5_000);
    expect(api.take().filter((call) => call.startsWith('patch'))).toEqual([]);
    expect(node().status).toEqual(before);
    expect(reasons().filter((reason) => ['Starting', 'CgroupV1'].includes(reason))).toEqual(['Starting', 'CgroupV1']);
  });

  it('a reboot since the last status is recorded once', async () => {
    const first = await nodeStatus();
    const second = await nodeStatus({ api: first.api, bootId: 'boot-2' });
    await second.pass(30_000);
    expect(second.events.filter(({ reason }) => reason === 'Rebooted')).toEqual([
      { type: 'Warning', reason: 'Rebooted', message: 'Node node-1 has been rebooted, boot id: boot-2' },
    ]);
    expect(second.node().status?.nodeInfo?.bootID).toBe('boot-2');
  });

  it('a field that the server drops is not sent for ever', async () => {
    const api = fakeNodeApi();
    const keep = api.objects.set.bind(api.objects);
    api.objects.set = (path, object) => {
      const { features: _, ...status } = (object['status'] ?? {}) as Record<string, unknown>;
      return keep(path, { ...object, status });
    };
    const { pass } = await nodeStatus({ api });
    await pass(60_000);
    expect(api.take().filter((call) => call.startsWith('patch'))).toEqual([`patch ${PATH}/status`]);
  });
});

describe('the addresses of a node', () => {
  it('are those of its object', async () => {
    const { addresses, pass, ask } = await nodeStatus();
    await pass(0);
    expect(addresses().at(-1)).toBe('10.0.0.7 node-1 of the node');
    expect(await ask({ type: 'node-addresses' })).toMatchObject({ from: 'node' });
  });

  it("are a cloud provider's, as soon as the provider has set them", async () => {
    const cloud = { ...nodeStatusSettings.registration, externalCloudProvider: true };
    const { addresses, change, node, pass } = await nodeStatus({ settings: { registration: cloud } });
    await pass(0);
    expect(addresses().at(-1)).toBe('node-1 of the node');
    change(({ status }) => ({ status: { ...status, addresses: [{ type: 'InternalIP', address: '203.0.113.9' }] } }));
    await pass(60_000);
    expect(addresses().at(-1)).toBe('203.0.113.9 of the node');
    expect(node().status?.addresses).toEqual([{ type: 'InternalIP', address: '203.0.113.9' }]);
  });

  it('follow those of the host, through its object', async () => {
    const { addresses, host, pass } = await nodeStatus();
    await pass(0);
    host.address = '10.0.0.8';
    await pass(21_000);
    expect(addresses().at(-1)).toBe('10.0.0.8 node-1 of the node');
  });

  it("are the host's while the API server is away and no object is known", async () => {
    const api = fakeNodeApi();
    api.fails = () => unreachable;
    const { addresses, pass } = await nodeStatus({ api });
    await pass(1_000);
    expect(addresses().at(-1)).toBe('10.0.0.7 node-1 of the host');
  });

  it('stay those of the object while the API server is away', async () => {
    const api = fakeNodeApi();
    const { addresses, host, pass } = await nodeStatus({ api });
    await pass(0);
    addresses();
    api.fails = () => unreachable;
    host.address = '10.0.0.8';
    await pass(60_000);
    expect(new Set(addresses())).toEqual(new Set(['10.0.0.7 node-1 of the node']));
  });

  it('are known after a runtime hangs that should list images, and after a resolver hangs', async () => {
    const world = { images: 'hanging', resolve: () => new Promise<readonly string[]>(() => {}) } as const;
    const { addresses, pass } = await nodeStatus(world);
    await pass(2_000);
    expect(addresses()).toEqual([]);
    await pass(1_000);
    expect(addresses()).toEqual(['10.0.0.7 node-1 of the host']);
  });

  it('are reported again with each round, since a notice may be lost', async () => {
    const { addresses, pass } = await nodeStatus();
    await pass(1_000);
    addresses();
    await pass(11_000);
    expect(addresses()).toEqual(['10.0.0.7 node-1 of the node']);
  });
});
