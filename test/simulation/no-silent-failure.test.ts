import { describe, expect, it } from 'vitest';
import type { Weather } from './node/api-weather.ts';
import { ClusterNode, played } from './node/cluster-node.ts';

const PODS = /^\/api\/v1\/pods\?/;
const SECOND = 1_000;

const failingOf = (node: ClusterNode): readonly string[] =>
  node.failing().map(({ actor, work }) => `${actor}: ${work}`);

async function wellNode(): Promise<ClusterNode> {
  const node = new ClusterNode();
  await node.begin(3);
  expect(failingOf(node)).toEqual([]);
  return node;
}

/** What gives the duty work that does not come by itself. */
type Cause = (node: ClusterNode) => void | Promise<void>;

const aContainerEnds: Cause = (node) => node.runtime.core.control.exit({ pod: 'web-1', container: 'main' }, 7);
const containersKeepEnding: Cause = async (node) => {
  await aContainerEnds(node);
  await node.pass(15 * SECOND);
  node.runtime.core.control.exit({ pod: 'web-2', container: 'main' }, 7);
};
const aStaticPodComes: Cause = (node) => node.writeStatic('late');

describe('a duty that cannot do its work', () => {
  it.each<{ what: string; weather: Weather; cause?: Cause; duty: string }>([
    {
      what: 'pods may not be listed and watched any more',
      weather: { type: 'refusing', paths: PODS, code: 403 },
      duty: 'pod-source-api: follow the pods of this node in the API',
    },
    {
      what: 'pod statuses are refused',
      weather: { type: 'refusing', paths: /\/pods\/[^/]+\/status/, code: 403 },
      cause: aContainerEnds,
      duty: 'status-manager: write pod statuses',
    },
    {
      what: 'pod statuses are not answered',
      weather: { type: 'deaf', paths: /\/pods\/[^/]+\/status/ },
      cause: aContainerEnds,
      duty: 'status-manager: write pod statuses',
    },
    {
      what: 'leases are refused',
      weather: { type: 'refusing', paths: /\/leases\//, code: 403 },
      duty: "node-lease: renew the node's lease",
    },
    {
      what: 'leases are not answered',
      weather: { type: 'deaf', paths: /\/leases\// },
      duty: "node-lease: renew the node's lease",
    },
    {
      what: 'events are refused',
      weather: { type: 'refusing', paths: /\/events/, code: 403 },
      cause: containersKeepEnding,
      duty: 'event-recorder: write events',
    },
    {
      what: 'mirror pods are refused',
      weather: { type: 'refusing', paths: /\/namespaces\/default\/pods$/, code: 403 },
      cause: aStaticPodComes,
      duty: 'mirror-pods: keep the mirror pods',
    },
    {
      what: 'the services may not be watched any more',
      weather: { type: 'refusing', paths: /\/services\?/, code: 403 },
      duty: 'object-cache: follow the services',
    },
  ])('is shown within 30 s when $what, and no longer once it works', async ({ weather, cause, duty }) => {
    const node = await wellNode();
    node.api.weather.turn(weather);
    await cause?.(node);
    await node.pass(30 * SECOND);
    expect(failingOf(node)).toEqual([duty]);
    expect(node.failing()[0]).toMatchObject({ follows: expect.stringMatching(/.{20}/) as string });
    node.api.weather.turn({ type: 'fair' });
    await node.pass(90 * SECOND);
    expect(failingOf(node)).toEqual([]);
    expect(node.problems).toEqual([]);
  });

  it.each<{ what: string; paths: RegExp; cause: Cause; duty: string }>([
    {
      what: 'pod statuses',
      paths: /\/pods\/[^/]+\/status/,
      cause: aContainerEnds,
      duty: 'status-manager: write pod statuses',
    },
    { what: 'events', paths: /\/events/, cause: aContainerEnds, duty: 'event-recorder: write events' },
    {
      what: 'mirror pods',
      paths: /\/namespaces\/default\/pods$/,
      cause: aStaticPodComes,
      duty: 'mirror-pods: keep the mirror pods',
    },
  ])('is shown within 15 s when $what are not answered', async ({ paths, cause, duty }) => {
    const node = await wellNode();
    node.api.weather.turn({ type: 'deaf', paths });
    await cause(node);
    await node.pass(15 * SECOND);
    expect(failingOf(node)).toEqual([duty]);
    node.api.weather.turn({ type: 'fair' });
    await node.pass(120 * SECOND);
    expect(failingOf(node)).toEqual([]);
  });

  it('is the one that has the cause: an unreachable server is the trouble of the API gateway alone', async () => {
    const node = await wellNode();
    node.api.weather.turn({ type: 'away' });
    await aContainerEnds(node);
    await node.pass(60 * SECOND);
    expect(failingOf(node)).toEqual(['api-gateway: reach the API server']);
    node.api.weather.turn({ type: 'fair' });
    await node.pass(30 * SECOND);
    expect(failingOf(node)).toEqual([]);
  });

  it('is shown when the runtime is down, by the CRI gateway and by all that need its figures', async () => {
    const node = await wellNode();
    node.runtime.weather.down = true;
    await node.pass(30 * SECOND);
    expect(failingOf(node)).toEqual(
      expect.arrayContaining([
        'cri-gateway: reach the container runtime',
        'pleg: list pods and containers of the runtime',
      ]),
    );
    node.runtime.weather.down = false;
    await node.pass(60 * SECOND);
    expect(failingOf(node)).toEqual([]);
  });

  it.each(['ListPodSandbox', 'ListContainers'] as const)(
    'is shown within 15 s when the runtime does not answer %s, and no longer once it works',
    async (method) => {
      const node = await wellNode();
      node.runtime.weather.failing.push({ method, how: 'lost', rate: 1 });
      await node.pass(15 * SECOND);
      expect(failingOf(node)).toContain('pleg: list pods and containers of the runtime');
      node.runtime.weather.failing.length = 0;
      await node.pass(120 * SECOND);
      expect(failingOf(node)).toEqual([]);
    },
  );

  it.each<{ what: string; weather: Weather }>([
    { what: 'refuses the list', weather: { type: 'refusing', paths: PODS, code: 403 } },
    { what: 'does not answer it', weather: { type: 'deaf', paths: PODS } },
  ])('keeps the node from Ready when the server $what of its pods from the start', async ({ weather }) => {
    const node = new ClusterNode();
    node.api.weather.turn(weather);
    node.startAgent();
    await node.pass(15 * SECOND);
    expect(node.failing()).toMatchObject([
      { actor: 'pod-source-api', work: 'list the pods of this node for the first time', keepsNodeFromReady: true },
    ]);
    node.api.weather.turn({ type: 'fair' });
    await node.pass(90 * SECOND);
    expect(failingOf(node)).toEqual([]);
  });

  it('is shown again when its actor crashes meanwhile', async () => {
    const node = await wellNode();
    node.api.weather.turn({ type: 'refusing', paths: /\/leases\//, code: 403 });
    await node.pass(60 * SECOND);
    node.crashActor('node-lease');
    await node.pass(60 * SECOND);
    expect(failingOf(node)).toEqual(["node-lease: renew the node's lease"]);
    node.crashActor('health-monitor');
    await node.pass(40 * SECOND);
    expect(failingOf(node)).toEqual(["node-lease: renew the node's lease"]);
  });
});

describe('an actor that crashes', () => {
  it.each([...played, 'health-monitor'])(
    'is reported by its supervisor, and pods and duties are as before: %s',
    async (actor) => {
      const node = await wellNode();
      const running = node.runningContainers();
      node.crashActor(actor);
      await node.pass(60 * SECOND);
      expect(node.problems).toEqual([expect.stringMatching(new RegExp(`^${actor}: .*asked to`))]);
      expect(node.readyPods()).toBe(3);
      expect(node.runningContainers()).toBe(running);
      expect(failingOf(node)).toEqual([]);
    },
  );

  it('is reported by its supervisor, and pods and duties are as before: a worker of a pod', async () => {
    const node = await wellNode();
    const [pod] = node.pods();
    node.crashActor(`pod-worker/${pod?.metadata.uid}`);
    await node.pass(60 * SECOND);
    expect(node.problems).toEqual([expect.stringContaining('asked to')]);
    expect(node.readyPods()).toBe(3);
    expect(failingOf(node)).toEqual([]);
  });
});
