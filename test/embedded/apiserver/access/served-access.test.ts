import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedApi, type ServedApi } from '../served-api.ts';

const ACCESS = '/apis/rbac.authorization.k8s.io/v1';
const review = (spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });

describe('an API with roles', () => {
  let api: ServedApi;
  let token: string;
  const make = (path: string, body: object) => api.ask(path, { method: 'POST', body });

  beforeAll(async () => {
    api = await servedApi();
    const account = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const made = await make('/api/v1/namespaces/default/serviceaccounts/default/token', account);
    token = (made.json['status'] as { readonly token: string }).token;
  });
  afterAll(() => api.close());

  it('lets a service account read discovery, and nothing else without a role', async () => {
    expect((await api.ask('/api/v1', { token })).code).toBe(200);
    const refused = await api.ask('/api/v1/namespaces/default/pods', { token });
    expect(refused).toMatchObject({ code: 403, json: { reason: 'Forbidden', details: { kind: 'pods' } } });
  });

  it('allows a bound role at once, in its namespace', async () => {
    const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }];
    await make(`${ACCESS}/namespaces/default/roles`, { metadata: { name: 'lister' }, rules });
    const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }];
    const roleRef = { kind: 'Role', name: 'lister' };
    const bound = await make(`${ACCESS}/namespaces/default/rolebindings`, {
      metadata: { name: 'listers' },
      subjects,
      roleRef,
    });
    expect(bound.json['roleRef']).toEqual({ ...roleRef, apiGroup: 'rbac.authorization.k8s.io' });
    expect((await api.ask('/api/v1/namespaces/default/pods', { token })).code).toBe(200);
    expect((await api.ask('/api/v1/namespaces/kube-system/pods', { token })).code).toBe(403);
    await api.ask(`${ACCESS}/namespaces/default/rolebindings/listers`, { method: 'DELETE' });
    expect((await api.ask('/api/v1/namespaces/default/pods', { token })).code).toBe(403);
  });

  it('supports permitted impersonation', async () => {
    const asNobody = { 'impersonate-user': 'ann' };
    expect((await api.ask('/api/v1/nodes', { headers: asNobody })).code).toBe(403);
    const asMaster = { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' };
    expect((await api.ask('/api/v1/nodes', { headers: asMaster })).code).toBe(200);
    expect((await api.ask('/api/v1', { token, headers: asMaster })).code).toBe(403);
  });

  it.each([
    ['system:nodes', 'system:node:n', { verb: 'get', resource: 'secrets', namespace: 'a', name: 'of-nobody' }, false],
    ['system:nodes', 'system:node:n', { verb: 'list', resource: 'services' }, true],
    ['system:nodes', 'system:node:n', { verb: 'delete', resource: 'namespaces', name: 'a' }, false],
    ['system:masters', 'root', { verb: 'get', resource: 'nodes', subresource: 'proxy' }, true],
    ['system:authenticated', 'ann', { verb: 'get', resource: 'nodes', subresource: 'metrics' }, false],
  ])('reviews the access of a user in %s', async (group, user, resourceAttributes, allowed) => {
    const spec = { user, groups: [group], resourceAttributes };
    const answer = await make('/apis/authorization.k8s.io/v1/subjectaccessreviews', review(spec));
    expect(answer).toMatchObject({ code: 201, json: { status: { allowed } } });
  });

  it.each([
    ['a rule without verbs', 'clusterroles', { rules: [{ apiGroups: [''], resources: ['pods'] }] }, 'rules[0].verbs'],
    [
      'a rule about resources and paths',
      'clusterroles',
      { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'] }] },
      'rules[0].nonResourceURLs',
    ],
    [
      'a rule about paths in a namespace',
      'namespaces/default/roles',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      'rules[0].nonResourceURLs',
    ],
    ['a binding to nothing', 'clusterrolebindings', { roleRef: { kind: 'ClusterRole' } }, 'roleRef.name'],
    [
      'a binding of a cluster to a role of a namespace',
      'clusterrolebindings',
      { roleRef: { kind: 'Role', name: 'x' } },
      'roleRef.kind',
    ],
    [
      'a binding of a service account of nowhere',
      'clusterrolebindings',
      { roleRef: { kind: 'ClusterRole', name: 'x' }, subjects: [{ kind: 'ServiceAccount', name: 'x' }] },
      'subjects[0].namespace',
    ],
  ])('refuses %s', async (_, path, given, field) => {
    const answer = await make(`${ACCESS}/${path}`, { metadata: { name: 'bad' }, ...given });
    expect(answer).toMatchObject({ code: 422, json: { details: { causes: [{ field }] } } });
  });

  it('keeps the role of a binding immutable', async () => {
    const roleRef = { kind: 'ClusterRole', name: 'system:kubelet-api-admin' };
    await make(`${ACCESS}/clusterrolebindings`, { metadata: { name: 'kept' }, roleRef });
    const body = { metadata: { name: 'kept' }, roleRef: { ...roleRef, name: 'cluster-admin' } };
    const changed = await api.ask(`${ACCESS}/clusterrolebindings/kept`, { method: 'PUT', body });
    expect(changed).toMatchObject({ code: 422, json: { details: { causes: [{ field: 'roleRef' }] } } });
  });
});
