import { createServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeconfig } from '../../src/embedded-apiserver/kubeconfig.ts';
import { serveEmbeddedApi } from '../../src/embedded-apiserver/serve.ts';
import { NODE_NAME } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { ask, ClientCa, type AskOptions } from '../serving/server-under-test.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the server of a node without an API server', { timeout: 60_000 }, () => {
  let node: NodeUnderTest;
  let ca: ClientCa;
  let [secure, readOnly] = [0, 0];

  beforeAll(async () => {
    [secure, readOnly] = [await freePort(), await freePort()];
    ca = await ClientCa.make();
    node = await NodeUnderTest.prepare('embedded');
    const clientCAFile = join(node.folder.dir, 'client-ca.pem');
    writeFileSync(clientCAFile, ca.pem);
    await node.folder.configure({
      enableServer: true,
      address: '127.0.0.1',
      port: secure,
      readOnlyPort: readOnly,
      healthzPort: 0,
      authentication: { webhook: { enabled: false }, anonymous: { enabled: false }, x509: { clientCAFile } },
      authorization: { mode: 'AlwaysAllow' },
    });
    await node.folder.put('web.json', podManifest('web'));
    await node.startAgent();
    const serves = () =>
      fetch(`http://127.0.0.1:${readOnly}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitUntil(serves, { what: 'it serves', withinMs: 20_000, everyMs: 50 });
  }, 60_000);
  afterAll(() => node?.stop(), 60_000);

  const asked = (path: string, options: AskOptions = {}) => ask({ server: { port: secure } }, path, options);

  it('lets in whom the configured authority has signed, to everything, and nobody else', async () => {
    const certificate = await ca.issue('CN=operator');
    const stranger = await (await ClientCa.make()).issue('CN=operator');
    const pods = async () =>
      JSON.parse((await asked('/pods', { certificate })).text) as {
        readonly items: readonly {
          readonly metadata: { readonly name: string };
          readonly status?: { readonly phase?: string };
        }[];
      };
    await waitUntil(async () => (await pods()).items[0]?.status?.phase === 'Running', {
      what: 'its pod runs',
      withinMs: 20_000,
    });
    expect((await pods()).items.map(({ metadata }) => metadata.name)).toEqual(['web-node-a']);
    for (const path of ['/metrics', '/stats/summary', '/configz', '/healthz']) {
      expect({ path, status: (await asked(path, { certificate })).status }).toEqual({ path, status: 200 });
    }
    for (const refused of [
      {},
      { certificate: stranger },
      { certificate: await ClientCa.selfMade('CN=operator') },
      { certificate: await ca.issue('CN=operator', Date.UTC(2021, 0)) },
      { token: 'anything' },
    ]) {
      expect((await asked('/pods', refused)).status).toBe(401);
    }
  });

  it('shows what a thread does', async () => {
    const certificate = await ca.issue('CN=operator');
    const { status, text } = await asked('/debug/pprof/profile?seconds=1&thread=server', { certificate });
    const profile = JSON.parse(text) as { readonly nodes: readonly unknown[]; readonly samples: readonly number[] };
    expect({ status, nodes: profile.nodes.length > 0, samples: profile.samples.length > 0 }).toEqual({
      status: 200,
      nodes: true,
      samples: true,
    });
  });

  it('says on its read-only port how it is to whoever asks, and does nothing for them', async () => {
    const plain = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${readOnly}${path}`, { method });
    expect(await (await plain('/metrics')).text()).toContain('kubelet_running_pods 1\n');
    expect((await plain('/pods')).status).toBe(200);
    expect((await plain('/exec/default/web-node-a/main', 'POST')).status).toBe(405);
    expect((await plain('/containerLogs/default/web-node-a/main')).status).toBe(405);
    expect((await plain('/configz')).status).toBe(404);
  });
});

describe('the server of a node of a cluster that signs what its nodes serve with', { timeout: 60_000 }, () => {
  let node: NodeUnderTest;
  let cluster: Awaited<ReturnType<typeof serveEmbeddedApi>>;
  afterAll(async () => {
    await node?.stop();
    await cluster?.close();
  }, 60_000);

  it('asks for its certificate, shows it as soon as it has it, and asks the cluster who may come in', async () => {
    const port = await freePort();
    cluster = await serveEmbeddedApi();
    node = await NodeUnderTest.prepare('embedded');
    const kubeconfigFile = join(node.folder.dir, 'kubeconfig');
    const authority = cluster.authority.certificate;
    const user = await cluster.credentials({ username: `system:node:${NODE_NAME}`, groups: ['system:nodes'] });
    writeFileSync(kubeconfigFile, kubeconfig({ server: cluster.address, authority, user }));
    const clientCAFile = join(node.folder.dir, 'client-ca.pem');
    writeFileSync(clientCAFile, authority);
    const address = '127.0.0.1';
    const authentication = { x509: { clientCAFile } };
    await node.folder.configure({ serverTLSBootstrap: true, address, port, healthzPort: 0, authentication });
    await node.startAgent({ kubeconfig: kubeconfigFile });
    const connect = (): Promise<string | false> =>
      new Promise((resolve) => {
        const socket = connectTls({ port, host: address, servername: NODE_NAME, ca: authority }, () => {
          resolve(socket.getPeerCertificate().subject.CN?.toString() ?? '');
          socket.destroy();
        });
        socket.on('error', () => resolve(false));
      });
    const shown = await waitUntil(connect, { what: 'it shows a certificate of the cluster', withinMs: 30_000 });
    expect(shown).toBe(`system:node:${NODE_NAME}`);
    const server = { port };
    const as = async (username: string, groups: readonly string[]): Promise<number> => {
      const made = await cluster.credentials({ username, groups });
      if (!('certificate' in made)) throw new Error('no certificate was made');
      return (await ask({ server }, '/pods', { certificate: { cert: made.certificate, key: made.key } })).status;
    };
    expect(await as('admin', ['system:masters'])).toBe(200);
    expect((await ask({ server }, '/pods', { token: 'nobody' })).status).toBe(401);
  });
});
