import { describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from '../../../../src/api/api-client.ts';
import { inProcessTransport } from '../../../../src/embedded/apiserver/http/in-process-transport.ts';
import { lackingRules } from '../../../../src/embedded/apiserver/access/refuse-escalation.ts';
import type { PolicyRule } from '../../../../src/embedded/apiserver/access/judge-access.ts';
import { apiUnderTest, done, refusal } from '../api-under-test.ts';

const ACCESS = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const rule = (verbs: readonly string[], resources: readonly string[], resourceNames: readonly string[] = []) => ({
  verbs,
  apiGroups: [''],
  resources,
  ...(resourceNames.length > 0 && { resourceNames }),
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });
const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

describe('rules that a user may grant', () => {
  it.each<{ rule: string; given: PolicyRule; owned: readonly PolicyRule[]; enough: boolean }>([
    { rule: 'the same', given: rule(['get'], ['pods']), owned: [rule(['get'], ['pods'])], enough: true },
    { rule: 'less', given: rule(['get'], ['pods']), owned: [rule(['get', 'list'], ['pods', 'nodes'])], enough: true },
    {
      rule: 'rules covered by several others together',
      given: rule(['get', 'list'], ['pods']),
      owned: [rule(['get'], ['pods']), rule(['list'], ['pods'])],
      enough: true,
    },
    { rule: 'another verb', given: rule(['get', 'delete'], ['pods']), owned: [rule(['get'], ['pods'])], enough: false },
    {
      rule: 'a subresource',
      given: rule(['get'], ['pods/log']),
      owned: [rule(['get'], ['pods'])],
      enough: false,
    },
    {
      rule: 'the same subresource',
      given: rule(['get'], ['pods/log']),
      owned: [rule(['get'], ['*/log'])],
      enough: true,
    },
    { rule: 'one name of all', given: rule(['get'], ['pods'], ['a']), owned: [rule(['get'], ['pods'])], enough: true },
    {
      rule: 'all names of one',
      given: rule(['get'], ['pods']),
      owned: [rule(['get'], ['pods'], ['a'])],
      enough: false,
    },
    { rule: 'a star of many', given: rule(['*'], ['pods']), owned: [rule(['get', 'list'], ['pods'])], enough: false },
    { rule: 'a star of a star', given: everything, owned: [everything], enough: true },
    { rule: 'a path below', given: paths('/a/b'), owned: [paths('/a/*')], enough: true },
    { rule: 'a path above', given: paths('/*'), owned: [paths('/a/*')], enough: false },
    { rule: 'a path without a grant', given: paths('/a'), owned: [everything], enough: false },
  ])('$rule: $enough', ({ given, owned, enough }) => {
    expect(lackingRules([given], owned)).toEqual(enough ? [] : [given]);
  });
});

/** Ann may write roles and bindings in `default`, and see its pods. */
async function ann(more: readonly object[] = []): Promise<{ readonly root: ApiClient; readonly ann: ApiClient }> {
  const { core, api: root } = apiUnderTest();
  const rules = [
    rule(['get', 'list'], ['pods']),
    { verbs: ['*'], apiGroups: [GROUP], resources: ['rolebindings'] },
    { verbs: ['create', 'update', 'patch', 'get'], apiGroups: [GROUP], resources: ['roles', 'clusterroles'] },
    ...more,
  ];
  await done(root.create(`${ACCESS}/clusterroles`, { metadata: { name: 'anns' }, rules }));
  const subjects = [{ kind: 'User', name: 'ann' }];
  const roleRef = { kind: 'ClusterRole', name: 'anns' };
  await done(
    root.create(`${ACCESS}/namespaces/default/rolebindings`, { metadata: { name: 'anns' }, subjects, roleRef }),
  );
  const user = { username: 'ann', groups: ['system:authenticated'] };
  const transport = inProcessTransport(core, { user });
  return { root, ann: apiClient((request) => transport.call(request, 1000)) };
}

const rolesOf = (namespace: string): string => `${ACCESS}/namespaces/${namespace}/roles`;
const bindingsOf = (namespace: string): string => `${ACCESS}/namespaces/${namespace}/rolebindings`;
const role = (rules: readonly object[], name = 'given') => ({ metadata: { name }, rules });
const binding = (kind: string, name: string) => ({
  metadata: { name: 'bound' },
  subjects: [{ kind: 'User', name: 'bob' }],
  roleRef: { kind, name },
});
const NOT_HELD = /^403 Forbidden: .*user "ann" .* is attempting to grant RBAC permissions not currently held/s;

describe('a user who writes roles', () => {
  it('grants rights that the user has, in their namespace', async () => {
    const { ann: api } = await ann();
    await done(api.create(rolesOf('default'), role([rule(['get'], ['pods'])])));
    expect(await refusal(api.create(rolesOf('kube-system'), role([rule(['get'], ['pods'])])))).toMatch(NOT_HELD);
    expect(await refusal(api.create(`${ACCESS}/clusterroles`, role([rule(['get'], ['pods'])])))).toMatch(NOT_HELD);
  });

  it('grants no rights that the user lacks, neither in a new role nor in an existing one', async () => {
    const { ann: api } = await ann();
    const secrets = [rule(['get'], ['secrets'])];
    expect(await refusal(api.create(rolesOf('default'), role(secrets)))).toMatch(NOT_HELD);
    await done(api.create(rolesOf('default'), role([])));
    const patch = { type: 'merge', body: { rules: secrets } } as const;
    expect(await refusal(api.patch(`${rolesOf('default')}/given`, patch))).toMatch(NOT_HELD);
  });

  it('grants any rights with the verb escalate', async () => {
    const { ann: api } = await ann([
      { verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['given'] },
    ]);
    await done(api.create(rolesOf('default'), role([everything])));
    expect(await refusal(api.create(rolesOf('default'), role([everything], 'other')))).toMatch(NOT_HELD);
  });

  it('creates no aggregated role, which could grant anything', async () => {
    const { ann: api } = await ann();
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const aggregated = { ...role([]), aggregationRule };
    expect(await refusal(api.create(`${ACCESS}/clusterroles`, aggregated))).toMatch(NOT_HELD);
  });
});

describe('a user who binds roles', () => {
  it('binds roles whose rights the user has', async () => {
    const { ann: api, root } = await ann();
    await done(root.create(rolesOf('default'), role([rule(['list'], ['pods'])])));
    const bound = await done(api.create(bindingsOf('default'), binding('Role', 'given')));
    expect(bound).toMatchObject({ roleRef: { name: 'given' } });
  });

  it('binds no other roles without the verb bind', async () => {
    const more = { verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['view'] };
    const { ann: api } = await ann([more]);
    expect(await refusal(api.create(bindingsOf('default'), binding('ClusterRole', 'cluster-admin')))).toMatch(NOT_HELD);
    await done(api.create(bindingsOf('default'), binding('ClusterRole', 'view')));
  });

  it('binds no missing role, which an administrator may', async () => {
    const { ann: api, root } = await ann();
    expect(await refusal(api.create(bindingsOf('default'), binding('Role', 'none')))).toMatch(/^404 NotFound/);
    await done(root.create(bindingsOf('default'), binding('Role', 'none')));
  });
});

describe('an aggregated cluster role', () => {
  const all = `${ACCESS}/clusterroles`;
  const part = (name: string, resource: string, labels: object) => ({
    metadata: { name, labels },
    rules: [rule(['get'], [resource])],
  });
  const whole = (name: string, selector: object, labels: object = {}) => ({
    metadata: { name, labels },
    rules: [],
    aggregationRule: { clusterRoleSelectors: [selector] },
  });

  it('has the rules of its parts once each, in order of their names, and follows their changes', async () => {
    const { api } = apiUnderTest();
    const resources = async (name: string): Promise<readonly string[]> => {
      const rules = (await done(api.get(`${all}/${name}`)))['rules'] as readonly PolicyRule[];
      return rules.flatMap((each) => each.resources ?? []);
    };
    await done(api.create(all, part('z', 'pods', { to: 'whole' })));
    await done(api.create(all, whole('whole', { matchLabels: { to: 'whole' } }, { to: 'larger' })));
    const expression = { key: 'to', operator: 'In', values: ['larger', 'largest'] };
    await done(api.create(all, whole('larger', { matchExpressions: [expression] })));
    await done(api.create(all, part('y', 'nodes', { to: 'whole' })));
    await done(api.create(all, part('x', 'nodes', { to: 'whole' })));
    await done(api.create(all, part('w', 'secrets', { to: 'largest' })));
    expect(await resources('whole')).toEqual(['nodes', 'pods']);
    expect(await resources('larger')).toEqual(['secrets', 'nodes', 'pods']);
    await done(api.delete(`${all}/z`, {}));
    expect(await resources('larger')).toEqual(['secrets', 'nodes']);
    // What somebody writes into it is not what it is made of.
    await done(api.patch(`${all}/whole`, { type: 'merge', body: { rules: [rule(['get'], ['events'])] } }));
    expect(await resources('whole')).toEqual(['nodes']);
  });

  it('exists from the start for view, edit and admin', async () => {
    const { api } = apiUnderTest();
    const may = async (name: string, verb: string, resource: string): Promise<boolean> => {
      const { rules } = (await done(api.get(`${all}/${name}`))) as unknown as { readonly rules: readonly PolicyRule[] };
      return (
        lackingRules([{ ...rule([verb], [resource]), apiGroups: resource === 'roles' ? [GROUP] : [''] }], rules)
          .length === 0
      );
    };
    const asked = async (name: string): Promise<readonly boolean[]> =>
      Promise.all([
        may(name, 'list', 'pods'),
        may(name, 'get', 'secrets'),
        may(name, 'create', 'pods/exec'),
        may(name, 'create', 'roles'),
      ]);
    expect(await asked('view')).toEqual([true, false, false, false]);
    expect(await asked('edit')).toEqual([true, true, true, false]);
    expect(await asked('admin')).toEqual([true, true, true, true]);
  });
});
