import { beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from '../../../../src/api/api-client.ts';
import { inProcessTransport } from '../../../../src/embedded/apiserver/http/in-process-transport.ts';
import { reasonToAccess } from '../../../../src/embedded/apiserver/access/may-access.ts';
import { nodeOf } from '../../../../src/embedded/apiserver/access/node-access.ts';
import { namedBy } from '../../../../src/embedded/apiserver/access/references-of-pod.ts';
import { requestedAccess } from '../../../../src/embedded/apiserver/access/asked-access.ts';
import { storedIn } from '../../../../src/embedded/apiserver/store/object-store.ts';
import { parseResourcePath } from '../../../../src/embedded/apiserver/http/request-path.ts';
import { type ApiUnderTest, aPod, apiUnderTest, done, podsOf, refusal } from '../api-under-test.ts';

const NODES = '/api/v1/nodes';
const n1 = { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const MIRROR = { 'kubernetes.io/config.mirror': 'x' };
const pvc = (name: string, volumeName: string) => ({
  metadata: { name },
  spec: { volumeName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const pv = (name: string, secret: string) => ({
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'd', volumeHandle: name, nodePublishSecretRef: { name: secret, namespace: 'default' } },
  },
});
const claimOf = (claimName: string) => [{ name: 'v', persistentVolumeClaim: { claimName } }];

/** Two nodes with a pod each, and a pod that the first node wrote itself. */
async function twoNodes(): Promise<ApiUnderTest> {
  const world = apiUnderTest({ bindPods: false });
  const { api } = world;
  for (const name of ['n1', 'n2']) await done(api.create(NODES, { metadata: { name } }));
  for (const each of ['mine', 'theirs']) {
    await done(api.create('/api/v1/persistentvolumes', pv(`pv-${each}`, `disk-${each}`)));
    await done(api.create('/api/v1/namespaces/default/persistentvolumeclaims', pvc(`claim-${each}`, `pv-${each}`)));
    const nodeName = each === 'mine' ? 'n1' : 'n2';
    const attachment = { attacher: 'd', nodeName, source: { persistentVolumeName: `pv-${each}` } };
    await done(
      api.create('/apis/storage.k8s.io/v1/volumeattachments', { metadata: { name: `at-${each}` }, spec: attachment }),
    );
    const volumes = [...claimOf(`claim-${each}`), { name: 's', secret: { secretName: each } }];
    await done(api.create(podsOf(), aPod(each, { spec: { nodeName, volumes, serviceAccountName: `of-${each}` } })));
  }
  const volumes = [{ name: 's', secret: { secretName: 'wished' } }];
  await done(
    api.create(podsOf(), aPod('mirror', { metadata: { annotations: MIRROR }, spec: { nodeName: 'n1', volumes } })),
  );
  return world;
}

describe('a node reads', () => {
  let world: ApiUnderTest;
  beforeAll(async () => (world = await twoNodes()));
  const may = (request: string): boolean => {
    const [method = '', url = ''] = request.split(' ');
    const asked = requestedAccess(method, url.split('?')[0] ?? '', parseResourcePath(url));
    return reasonToAccess(storedIn(world.core.store), n1, asked) !== undefined;
  };
  const own = '/api/v1/namespaces/default';
  const storage = '/apis/storage.k8s.io/v1';
  const leases = '/apis/coordination.k8s.io/v1/namespaces';

  it.each([
    // Objects that its pods refer to.
    `GET ${own}/secrets/mine`,
    `GET ${own}/secrets?watch=1&fieldSelector=metadata.name=mine`,
    `GET ${own}/secrets/disk-mine`,
    `GET ${own}/persistentvolumeclaims/claim-mine`,
    'GET /api/v1/persistentvolumes/pv-mine',
    `GET ${storage}/volumeattachments/at-mine`,
    `POST ${own}/serviceaccounts/of-mine/token`,
    `GET ${own}/serviceaccounts/of-mine`,
    // Its own objects.
    `PATCH ${storage}/csinodes/n1`,
    `POST ${storage}/csinodes`,
    `PUT ${leases}/kube-node-lease/leases/n1`,
    `POST ${leases}/kube-node-lease/leases`,
    // Objects that all nodes need.
    'GET /api/v1/services?watch=1',
    `PATCH ${own}/pods/mine/status`,
    'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
  ])('objects that it needs: %s', (request) => {
    expect(may(request)).toBe(true);
  });

  it.each([
    `GET ${own}/secrets/theirs`,
    `GET ${own}/secrets/disk-theirs`,
    `GET ${own}/secrets`,
    'GET /api/v1/secrets',
    'GET /api/v1/namespaces/kube-system/secrets/mine',
    `PUT ${own}/secrets/mine`,
    // Only a pod that the node wrote itself refers to this object.
    `GET ${own}/secrets/wished`,
    `GET ${own}/configmaps/mine`,
    `GET ${own}/persistentvolumeclaims/claim-theirs`,
    'GET /api/v1/persistentvolumes/pv-theirs',
    `GET ${storage}/volumeattachments/at-theirs`,
    `POST ${own}/serviceaccounts/of-theirs/token`,
    `PATCH ${storage}/csinodes/n2`,
    `PUT ${leases}/kube-node-lease/leases/n2`,
    `GET ${leases}/default/leases/n1`,
    'DELETE /api/v1/namespaces/default',
    'GET /apis/rbac.authorization.k8s.io/v1/clusterroles',
    'GET /metrics',
  ])('no other objects: %s', (request) => {
    expect(may(request)).toBe(false);
  });

  it('objects of a pod until the pod is deleted', async () => {
    const { api } = world;
    expect(may(`GET ${own}/secrets/mine`)).toBe(true);
    await done(api.delete(`${podsOf()}/mine`, { gracePeriodSeconds: 0 }));
    expect(may(`GET ${own}/secrets/mine`)).toBe(false);
  });
});

describe('a user is a node', () => {
  it.each([
    { username: 'system:node:n1', groups: ['system:nodes'], node: 'n1' },
    { username: 'system:node:n1', groups: [], node: undefined },
    { username: 'system:node:', groups: ['system:nodes'], node: undefined },
    { username: 'n1', groups: ['system:nodes'], node: undefined },
  ])('$username of $groups: $node', ({ username, groups, node }) => {
    expect(nodeOf({ username, groups })).toBe(node);
  });
});

describe('a pod refers to', () => {
  const refs = (spec: object): readonly string[] =>
    namedBy(aPod('p', { metadata: { namespace: 'a' }, spec }) as Parameters<typeof namedBy>[0]).slice(1);
  const from = (kind: string) => ({
    containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { [kind]: { name: 'x', key: 'k' } } }] }],
  });

  it.each([
    { by: 'imagePullSecrets', spec: { imagePullSecrets: [{ name: 'x' }] }, to: ['secrets/a/x'] },
    { by: 'a secret in the environment', spec: from('secretKeyRef'), to: ['secrets/a/x'] },
    { by: 'a config map in the environment', spec: from('configMapKeyRef'), to: ['configmaps/a/x'] },
    {
      by: 'whole objects in the environment of an init container',
      spec: {
        initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'x' } }, { configMapRef: { name: 'y' } }] }],
      },
      to: ['secrets/a/x', 'configmaps/a/y'],
    },
    {
      by: 'a projected volume',
      spec: {
        volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'x' } }, { configMap: { name: 'y' } }] } }],
      },
      to: ['secrets/a/x', 'configmaps/a/y'],
    },
    {
      by: 'an ephemeral claim',
      spec: { volumes: [{ name: 'v', ephemeral: {} }] },
      to: ['persistentvolumeclaims/a/p-v'],
    },
    {
      by: 'the credentials of a driver',
      spec: { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'x' } } }] },
      to: ['secrets/a/x'],
    },
    { by: 'nothing', spec: { volumes: [{ name: 'v', emptyDir: {} }] }, to: [] },
  ])('by $by: $to', ({ spec, to }) => {
    expect(refs(spec)).toEqual(to);
  });
});

describe('a node writes', () => {
  let root: ApiClient;
  let api: ApiClient;
  let uid: string | undefined;
  beforeAll(async () => {
    const world = await twoNodes();
    root = world.api;
    const transport = inProcessTransport(world.core, { user: n1 });
    api = apiClient((request) => transport.call(request, 1000));
    ({ uid } = (await done(root.get(`${NODES}/n1`))).metadata);
  });
  const owned = () => [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid }];
  const mirror = (name: string, spec: object = {}, metadata: object = {}) =>
    aPod(name, {
      metadata: { annotations: MIRROR, ownerReferences: owned(), ...metadata },
      spec: { nodeName: 'n1', ...spec },
    });
  const labels = (given: object) => ({ type: 'merge', body: { metadata: { labels: given } } }) as const;
  const status = { type: 'merge', body: { status: { phase: 'Running' } } } as const;

  it('its own object, its own pods, and mirror pods', async () => {
    await done(
      api.patch(`${NODES}/n1`, labels({ 'kubernetes.io/arch': 'amd64', 'node.kubernetes.io/a': 'b', mine: 'c' })),
    );
    await done(api.patch(`${podsOf()}/mine/status`, status));
    await done(api.create(podsOf(), mirror('static')));
    const gone = await done(api.delete(`${podsOf()}/static`, { gracePeriodSeconds: 0 }));
    expect(gone.metadata.name).toBe('static');
  });

  it.each<{ what: string; write: () => Promise<unknown>; why: RegExp }>([
    {
      what: 'the object of another node',
      write: () => refusal(api.patch(`${NODES}/n2`, labels({ a: 'b' }))),
      why: /node "n1" is not allowed to modify node "n2"/,
    },
    {
      what: 'a label that restricts its pods',
      write: () => refusal(api.patch(`${NODES}/n1`, labels({ 'x.node-restriction.kubernetes.io/y': 'z' }))),
      why: /not allowed to modify labels: x\.node-restriction\.kubernetes\.io\/y/,
    },
    {
      what: 'a Kubernetes label reserved for others',
      write: () => refusal(api.patch(`${NODES}/n1`, labels({ 'node-role.kubernetes.io/control-plane': '' }))),
      why: /not allowed to modify labels/,
    },
    {
      what: 'its taints',
      write: () =>
        refusal(
          api.patch(`${NODES}/n1`, { type: 'merge', body: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } }),
        ),
      why: /not allowed to modify taints/,
    },
    {
      what: 'the status of a pod of another node',
      write: () => refusal(api.patch(`${podsOf()}/theirs/status`, status)),
      why: /can only update pod status for pods with spec\.nodeName set to itself/,
    },
    {
      what: 'the end of a pod of another node',
      write: () => refusal(api.delete(`${podsOf()}/theirs`, {})),
      why: /can only delete pods with spec\.nodeName set to itself/,
    },
    {
      what: 'a pod that is not a mirror pod',
      write: () => refusal(api.create(podsOf(), aPod('new', { spec: { nodeName: 'n1' } }))),
      why: /can only create mirror pods/,
    },
    {
      what: 'a mirror pod of another node',
      write: () => refusal(api.create(podsOf(), mirror('new', { nodeName: 'n2' }))),
      why: /can only create pods with spec\.nodeName set to itself/,
    },
    {
      what: 'a mirror pod without a node',
      write: () => refusal(api.create(podsOf(), mirror('new', {}, { ownerReferences: [] }))),
      why: /owner reference set to itself/,
    },
    {
      what: 'a mirror pod with a secret',
      write: () =>
        refusal(api.create(podsOf(), mirror('new', { volumes: [{ name: 's', secret: { secretName: 'x' } }] }))),
      why: /can not create pods that reference secrets/,
    },
    {
      what: 'the lease of another node',
      write: () =>
        refusal(
          api.create('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', { metadata: { name: 'n2' } }),
        ),
      why: /can only access node lease with the same name/,
    },
  ])('never $what', async ({ write, why }) => {
    expect(await write()).toMatch(/^403 Forbidden: /);
    expect(await write()).toMatch(why);
  });

  it('no token of a pod on another node', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    for (const name of ['mine', 'theirs']) await done(root.create(account, { metadata: { name: `of-${name}` } }));
    const tokenOf = async (name: string, bound: boolean) => {
      const pod = await done(root.get(`${podsOf()}/${name}`));
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid: pod.metadata.uid };
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: bound ? { boundObjectRef } : {},
      };
      return api.create(`${account}/of-${name}/token`, body);
    };
    expect(await tokenOf('mine', true)).toMatchObject({ ok: true });
    expect(await refusal(tokenOf('mine', false))).toMatch(/requested token not bound to a pod/);
    expect(await refusal(tokenOf('theirs', true))).toMatch(/bound to a pod scheduled on a different node/);
  });
});
