import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { Node } from '../../src/kube/node.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { AgentFolder } from '../support/agent-process/agent-folder.ts';
import { AgentProcess, NODE_NAME } from '../support/agent-process/agent-process.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { type RuntimeUnderTest, startRuntime } from '../support/agent-process/runtime-under-test.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { lastingServer, type LastingServer } from '../support/real-api/lasting-server.ts';
import { transportOf } from '../support/real-api/transport-of.ts';

const SUITE = 'an agent whose API server comes and goes';
const PODS = '/api/v1/namespaces/default/pods';
const WITHIN_MS = 60_000;
const CALL_MS = 10_000;

// Each test begins as the test before it has left agent and server.
describe('an agent whose API server comes and goes', { timeout: 180_000 }, () => {
  let runtime: RuntimeUnderTest;
  let folder: AgentFolder;
  let server: LastingServer;
  let agent: AgentProcess;
  let transport: ApiTransport;

  beforeAll(async () => {
    runtime = await startRuntime('embedded');
    folder = await AgentFolder.make();
    await folder.configure({ nodeStatusUpdateFrequency: '2s', failSwapOn: false, healthzPort: 0, port: 0 });
    server = await lastingServer(SUITE, NODE_NAME);
    transport = transportOf(server.kubeconfigs.admin);
  }, 90_000);
  afterAll(async () => {
    await agent?.stop();
    transport?.close();
    await server?.discard();
    await runtime?.stop();
    await folder?.discard();
  }, 60_000);

  const read = async <T>(path: string): Promise<T | undefined> => {
    const outcome = await transport.call({ verb: 'get', path, priority: 'object' }, CALL_MS);
    return outcome.ok ? (outcome.value as T) : undefined;
  };
  const create = async (name: string): Promise<void> => {
    const manifest = podManifest(name);
    const body = { ...manifest, spec: { ...manifest.spec, nodeName: NODE_NAME } };
    const outcome = await transport.call({ verb: 'create', path: PODS, body, priority: 'object' }, CALL_MS);
    if (!outcome.ok) throw new Error(outcome.fault.message);
  };
  const remove = (name: string) =>
    transport.call({ verb: 'delete', path: `${PODS}/${name}`, priority: 'object' }, CALL_MS);
  const until = (what: string, ask: () => Promise<boolean>): Promise<boolean> =>
    waitUntil(ask, { what, withinMs: WITHIN_MS, everyMs: 200 });
  const runs = async (container: string): Promise<boolean> => container in (await runningContainers(runtime.cri));
  const conditionOf = ({ status }: Pod | Node, type: string): string | undefined =>
    status?.conditions?.find((condition) => condition.type === type)?.status;
  const untilReady = (name: string): Promise<boolean> =>
    until(`pod ${name} is Ready in the API`, async () => {
      const pod = await read<Pod>(`${PODS}/${name}`);
      return pod !== undefined && conditionOf(pod, 'Ready') === 'True';
    });
  const untilNodeIsReady = (): Promise<boolean> =>
    until('the node is Ready', async () => {
      const node = await read<Node>(`/api/v1/nodes/${NODE_NAME}`);
      return node !== undefined && conditionOf(node, 'Ready') === 'True';
    });
  const linesSince = async (count: number): Promise<readonly string[]> =>
    (await folder.log()).slice(count).map((line) => JSON.stringify(line));

  it('runs its static pods before the server has ever been there', async () => {
    await folder.put('early.json', podManifest('early'));
    agent = await AgentProcess.start({ folder, endpoint: runtime.endpoint, kubeconfig: server.kubeconfigs.node });
    expect(await until('the static pod runs', () => runs(`early-${NODE_NAME}/app`))).toBe(true);
  });

  it('registers its node and runs pods of the API once the server comes', async () => {
    await server.start();
    await untilNodeIsReady();
    await untilReady(`early-${NODE_NAME}`);
    await create('steady');
    await create('leaves');
    expect([await untilReady('steady'), await untilReady('leaves')]).toEqual([true, true]);
  });

  it('keeps pods running and restarts containers while the server is away', async () => {
    await server.stop();
    const before = (await runningContainers(runtime.cri))['steady/app'];
    await runtime.killContainer('steady', 'app');
    await until('the container has its next instance', async () => {
      const now = (await runningContainers(runtime.cri))['steady/app'];
      return now !== undefined && now !== before;
    });
    expect(await runs('leaves/app')).toBe(true);
  });

  it('reports what happened and carries out deletions once the server is back', async () => {
    await server.start();
    await until('the restart is reported', async () => {
      const pod = await read<Pod>(`${PODS}/steady`);
      return pod?.status?.containerStatuses?.[0]?.restartCount === 1 && conditionOf(pod, 'Ready') === 'True';
    });
    await remove('leaves');
    await until('the deleted pod is gone', async () => {
      const gone = (await read<Pod>(`${PODS}/leaves`)) === undefined;
      return gone && !(await runs('leaves/app'));
    });
    expect(await untilNodeIsReady()).toBe(true);
  });

  it.each(['older', 'present'] as const)('goes on with a server of the %s version in its place', async (version) => {
    const name = `on-${version}`;
    const before = (await runningContainers(runtime.cri))['steady/app'];
    const lines = (await folder.log()).length;
    await server.stop();
    await server.start(version);
    await create(name);
    await untilReady(name);
    await remove(name);
    await until('the pod is gone', async () => (await read<Pod>(`${PODS}/${name}`)) === undefined);
    await untilNodeIsReady();
    expect((await runningContainers(runtime.cri))['steady/app']).toBe(before);
    expect((await linesSince(lines)).filter((line) => /crashed|defect/.test(line))).toEqual([]);
  });
});
