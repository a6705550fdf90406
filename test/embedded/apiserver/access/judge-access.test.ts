import { describe, expect, it } from 'vitest';
import { requestedAccess, accessRefused } from '../../../../src/embedded/apiserver/access/asked-access.ts';
import {
  type RequestedAccess,
  type Policy,
  reasonToAllow,
  type Role,
  type RoleBinding,
  rulesOf,
} from '../../../../src/embedded/apiserver/access/judge-access.ts';
import { parseResourcePath } from '../../../../src/embedded/apiserver/http/request-path.ts';

const roles: readonly Role[] = [
  { name: 'viewer', namespace: undefined, rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }] },
  { name: 'logs', namespace: undefined, rules: [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/log'] }] },
  { name: 'stats', namespace: undefined, rules: [{ verbs: ['*'], apiGroups: [''], resources: ['nodes/stats'] }] },
  { name: 'whole', namespace: undefined, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
  { name: 'health', namespace: undefined, rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz/*', '/version'] }] },
  {
    name: 'one',
    namespace: 'a',
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] }],
  },
];
const bind = (role: string, to: RoleBinding['subjects'][number], namespace?: string, kind = 'ClusterRole') => ({
  name: `${role}s`,
  namespace,
  role: { kind, name: role },
  subjects: [to],
});
const bindings: readonly RoleBinding[] = [
  bind('viewer', { kind: 'User', name: 'vera' }),
  bind('viewer', { kind: 'User', name: 'nina' }, 'a'),
  bind('logs', { kind: 'Group', name: 'readers' }),
  bind('stats', { kind: 'ServiceAccount', name: 'scraper', namespace: 'watch' }),
  bind('whole', { kind: 'User', name: 'boss' }),
  bind('health', { kind: 'Group', name: 'readers' }),
  bind('one', { kind: 'User', name: 'otto' }, 'a', 'Role'),
  bind('absent', { kind: 'User', name: 'ann' }),
];
const policy: Policy = {
  role: (namespace, name) => roles.find((role) => role.name === name && role.namespace === namespace),
  bindings: () => bindings,
};

const user = (username: string, ...groups: readonly string[]) => ({ username, groups });
const asks = (method: string, path: string): RequestedAccess =>
  requestedAccess(method, path.split('?')[0] ?? '', parseResourcePath(path));

describe('every client', () => {
  const scraper = user('system:serviceaccount:watch:scraper');
  it.each([
    ['what its role says, in every namespace', user('vera'), 'GET /api/v1/pods', 'may'],
    ['what its role says, in one', user('vera'), 'GET /api/v1/namespaces/b/pods/x', 'may'],
    ['another verb', user('vera'), 'DELETE /api/v1/namespaces/b/pods/x', 'may not'],
    ['to watch what it may only list', user('vera'), 'GET /api/v1/pods?watch=1', 'may not'],
    ['another resource', user('vera'), 'GET /api/v1/nodes', 'may not'],
    ['a subresource of a readable resource', user('vera'), 'GET /api/v1/namespaces/a/pods/x/log', 'may not'],
    ['the same name in another group', user('vera'), 'GET /apis/metrics.k8s.io/v1/pods', 'may not'],
    ['in the namespace of its role binding', user('nina'), 'GET /api/v1/namespaces/a/pods', 'may'],
    ['in a namespace without a role binding', user('nina'), 'GET /api/v1/namespaces/b/pods', 'may not'],
    ['in all namespaces, bound in one', user('nina'), 'GET /api/v1/pods', 'may not'],
    ['a subresource of any resource', user('x', 'readers'), 'GET /api/v1/namespaces/a/pods/x/log', 'may'],
    ['as a service account', scraper, 'GET /api/v1/nodes/n/stats', 'may'],
    [
      'as one of the same name elsewhere',
      user('system:serviceaccount:b:scraper'),
      'GET /api/v1/nodes/n/stats',
      'may not',
    ],
    ['anything that is a resource', user('boss'), 'PATCH /apis/coordination.k8s.io/v1/namespaces/a/leases/x', 'may'],
    ['a path, by a role about resources', user('boss'), 'GET /version', 'may not'],
    ['a path that is named', user('x', 'readers'), 'GET /version', 'may'],
    ['a path below one', user('x', 'readers'), 'GET /healthz/ping', 'may'],
    ['a path that only begins alike', user('x', 'readers'), 'GET /versions', 'may not'],
    ['the object that its role names', user('otto'), 'GET /api/v1/namespaces/a/secrets/mine', 'may'],
    ['another of them', user('otto'), 'GET /api/v1/namespaces/a/secrets/yours', 'may not'],
    ['all of them', user('otto'), 'GET /api/v1/namespaces/a/secrets', 'may not'],
    ['by a role that is not there', user('ann'), 'GET /api/v1/pods', 'may not'],
    ['with no role at all', user('nobody'), 'GET /api/v1/pods', 'may not'],
    ['anything, as a master', user('root', 'system:masters'), 'DELETE /anything', 'may'],
  ] as const)('%s: %o asks %s and %s', (_, who, asked, verdict) => {
    const [method = '', path = ''] = asked.split(' ');
    expect(reasonToAllow(policy, who, asks(method, path)) === undefined ? 'may not' : 'may').toBe(verdict);
  });

  it('may review its own access', () => {
    expect(rulesOf(policy, user('nina'), 'a')).toEqual(roles[0]?.rules);
    expect(rulesOf(policy, user('nina'), 'b')).toEqual([]);
  });

  it('gets the binding that grants access', () => {
    expect(reasonToAllow(policy, user('nina'), asks('GET', '/api/v1/namespaces/a/pods'))).toBe(
      'RBAC: allowed by RoleBinding "viewers" of ClusterRole "viewer" to nina',
    );
  });

  it.each([
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      'POST',
      '/api/v1/namespaces/a/pods/x/exec',
      'pods "x" is forbidden: User "u" cannot create resource "pods/exec" in API group "" in the namespace "a"',
    ],
    [
      'DELETE',
      '/apis/coordination.k8s.io/v1/namespaces/a/leases',
      'leases.coordination.k8s.io is forbidden: User "u" cannot deletecollection resource "leases" in API group "coordination.k8s.io" in the namespace "a"',
    ],
    ['GET', '/metrics', 'forbidden: User "u" cannot get path "/metrics"'],
  ])('gets an error that names the missing permission: %s %s', (method, path, message) => {
    expect(accessRefused('u', asks(method, path)).status).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });
});
