import { Agent } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portOrFree } from '../../src/cli/dev/port-or-free.ts';
import { kubeconfig } from '../../src/embedded/apiserver/kubeconfig.ts';
import { administrator, serveEmbeddedApi } from '../../src/embedded/apiserver/serve.ts';
import { NODE_NAME } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { facts, methodsOf, pathOf } from '../serving/kubelet-endpoints.ts';
import { ask, ClientCa, type AskOptions } from '../serving/server-under-test.ts';

describe('the server of a node without an API server', { timeout: 60_000 }, () => {
  let node: NodeUnderTest;
  let ca: ClientCa;
  let [secure, readOnly] = [0, 0];

  beforeAll(async () => {
    [secure, readOnly] = [await portOrFree(0), await portOrFree(0)];
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

  it('serves every client whose certificate the configured authority signed, and no other', async () => {
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

  it('shows the profile of a thread', async () => {
    const certificate = await ca.issue('CN=operator');
    const { status, text } = await asked('/debug/pprof/profile?seconds=1&thread=server', { certificate });
    const profile = JSON.parse(text) as { readonly nodes: readonly unknown[]; readonly samples: readonly number[] };
    expect({ status, nodes: profile.nodes.length > 0, samples: profile.samples.length > 0 }).toEqual({
      status: 200,
      nodes: true,
      samples: true,
    });
  });

  it('serves only reads on its read-only port, to every client', async () => {
    const plain = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${readOnly}${path}`, { method });
    expect(await (await plain('/metrics')).text()).toContain('kubelet_running_pods 1\n');
    expect((await plain('/pods')).status).toBe(200);
    expect((await plain('/exec/default/web-node-a/main', 'POST')).status).toBe(405);
    expect((await plain('/containerLogs/default/web-node-a/main')).status).toBe(405);
    expect((await plain('/configz')).status).toBe(404);
  });
});

describe('the server of a node with a serving certificate from the cluster', { timeout: 60_000 }, () => {
  let node: NodeUnderTest;
  let cluster: Awaited<ReturnType<typeof serveEmbeddedApi>>;
  let port = 0;
  afterAll(async () => {
    await node?.stop();
    await cluster?.close();
  }, 60_000);

  it('requests its certificate, uses it as soon as it is issued, and asks the cluster to authorize clients', async () => {
    port = await portOrFree(0);
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
    const server = { server: { port } };
    const certificate = await certificateOf('admin', ['system:masters']);
    expect((await ask(server, '/pods', { certificate })).status).toBe(200);
  });

  const certificateOf = async (username: string, groups: readonly string[]) => {
    const { certificate, key } = await cluster.credentials({ username, groups });
    return { cert: certificate, key };
  };
  const make = (path: string, body: object) => {
    const answer = cluster.core.handle({ method: 'POST', path, body, user: administrator });
    if (answer.type !== 'object') throw new Error(JSON.stringify(answer));
    return answer.object;
  };

  it('allows each identity what its roles allow, and nothing else', async () => {
    const rights = [...new Set(facts.endpoints.flatMap(({ authz }) => authz))].sort();
    const identities: Record<string, AskOptions & { readonly may: readonly string[]; readonly refused: number }> = {};
    const access = '/apis/rbac.authorization.k8s.io/v1';
    for (const right of rights) {
      // Every second identity is a service account with a token, the others have a client certificate.
      const name = `holder-of-${right}`;
      const isAccount = rights.indexOf(right) % 2 === 0;
      const rules = [{ verbs: ['*'], apiGroups: [''], resources: [`nodes/${right}`] }];
      make(`${access}/clusterroles`, { metadata: { name }, rules });
      const subject = isAccount ? { kind: 'ServiceAccount', namespace: 'default', name } : { kind: 'Group', name };
      const roleRef = { kind: 'ClusterRole', name };
      make(`${access}/clusterrolebindings`, { metadata: { name }, subjects: [subject], roleRef });
      const shown = isAccount ? { token: newToken(name) } : { certificate: await certificateOf('somebody', [name]) };
      identities[name] = { ...shown, may: [right], refused: 403 };
    }
    const ca = await ClientCa.make();
    const nobody = { may: [], refused: 401 };
    const gone = newToken('gone');
    const path = '/api/v1/namespaces/default/serviceaccounts/gone';
    cluster.core.handle({ method: 'DELETE', path, user: administrator });
    Object.assign(identities, {
      'an administrator': { certificate: await certificateOf('a', ['system:masters']), may: rights, refused: 0 },
      'another node': { certificate: await certificateOf('system:node:b', ['system:nodes']), may: [], refused: 403 },
      'an account without a role': { token: newToken('nobody'), may: [], refused: 403 },
      'the token of an account that is gone': { token: gone, ...nobody },
      'a token that was made up': { token: 'made-up', ...nobody },
      'a certificate of a foreign authority': { certificate: await ca.issue('O=system:masters'), ...nobody },
      'a certificate that somebody made himself': {
        certificate: await ClientCa.selfMade('O=system:masters'),
        ...nobody,
      },
      'nobody at all': nobody,
    });
    const agents: Agent[] = [];
    const asked = Object.entries(identities).flatMap(([who, { may, refused, ...options }]) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 2 });
      agents.push(agent);
      return facts.endpoints.map(async (fact) => {
        const isAllowed = fact.authz.some((right) => may.includes(right));
        const [method = 'GET'] = methodsOf(fact);
        const { status } = await ask({ server: { port } }, pathOf(fact), { ...options, method, agent });
        const answer = status === 401 || status === 403 ? status : 'is answered';
        return [
          { who, path: fact.path, answer },
          { who, path: fact.path, answer: isAllowed ? 'is answered' : refused },
        ];
      });
    });
    const answers = await Promise.all(asked);
    for (const agent of agents) agent.destroy();
    expect(answers.map(([answer]) => answer)).toEqual(answers.map(([, expected]) => expected));
  });

  /** Of a new service account. */
  function newToken(name: string): string {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    make(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
    const { status } = make(`${accounts}/${name}/token`, { spec: {} }) as {
      readonly status: { readonly token: string };
    };
    return status.token;
  }
});
