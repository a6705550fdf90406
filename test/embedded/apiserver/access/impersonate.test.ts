import { describe, expect, it } from 'vitest';
import { impersonated } from '../../../../src/embedded/apiserver/access/impersonate.ts';
import { storedIn } from '../../../../src/embedded/apiserver/store/object-store.ts';
import { Refusal } from '../../../../src/embedded/apiserver/store/refusal.ts';
import { apiUnderTest, done } from '../api-under-test.ts';

const ACCESS = '/apis/rbac.authorization.k8s.io/v1';
const root = { username: 'root', groups: ['system:masters'] };
const ann = { username: 'ann', groups: ['system:authenticated'] };
const KNOWN = 'system:authenticated';

/** Ann may ask as bob, as the group `readers`, and as the service account of `a/robot`. */
async function world() {
  const { core, api } = apiUnderTest();
  const may = (resources: string, name: string, apiGroups = ['']) => ({
    verbs: ['impersonate'],
    apiGroups,
    resources: [resources],
    resourceNames: [name],
  });
  const rules = [
    may('users', 'bob'),
    may('groups', 'readers'),
    may('serviceaccounts', 'robot'),
    may('userextras/scopes', 'view', ['authentication.k8s.io']),
  ];
  await done(api.create(`${ACCESS}/clusterroles`, { metadata: { name: 'r' }, rules }));
  const roleRef = { kind: 'ClusterRole', name: 'r' };
  const subjects = [{ kind: 'User', name: 'ann' }];
  await done(api.create(`${ACCESS}/clusterrolebindings`, { metadata: { name: 'r' }, roleRef, subjects }));
  return storedIn(core.store);
}

const as = (...headers: readonly string[]): readonly string[] =>
  headers.flatMap((each) => {
    const [name = '', value = ''] = each.split('=');
    return [`Impersonate-${name}`, value];
  });

describe('impersonation', () => {
  it.each<{ rule: string; user: typeof root; headers: readonly string[]; is: object }>([
    { rule: 'keeps the user without a header', user: ann, headers: ['Accept', '*/*'], is: ann },
    { rule: 'becomes another user', user: ann, headers: as('User=bob'), is: { username: 'bob', groups: [KNOWN] } },
    {
      rule: 'becomes another user of a group',
      user: ann,
      headers: as('User=bob', 'Group=readers'),
      is: { username: 'bob', groups: ['readers', KNOWN] },
    },
    {
      rule: 'becomes a service account with its groups',
      user: ann,
      headers: as('User=system:serviceaccount:a:robot'),
      is: { groups: ['system:serviceaccounts', 'system:serviceaccounts:a', KNOWN] },
    },
    {
      rule: 'has extra values',
      user: ann,
      headers: as('User=bob', 'Extra-Scopes=view'),
      is: { username: 'bob', extra: { scopes: ['view'] } },
    },
    {
      rule: 'allows an administrator any user',
      user: root,
      headers: as('User=x', 'Group=y', 'Group=z', 'Uid=u'),
      is: { username: 'x', groups: ['y', 'z', KNOWN], uid: 'u' },
    },
    {
      rule: 'rejects an empty user',
      user: root,
      headers: as('User=system:anonymous'),
      is: { groups: ['system:unauthenticated'] },
    },
  ])('$rule', async ({ user, headers, is }) => {
    expect(impersonated(await world(), user, { rawHeaders: [...headers] })).toMatchObject(is);
  });

  it.each([
    { what: 'a user', headers: as('User=boss'), why: 'users "boss" is forbidden: User "ann" cannot impersonate' },
    { what: 'a group', headers: as('User=bob', 'Group=system:masters'), why: 'groups "system:masters" is forbidden' },
    {
      what: 'an account',
      headers: as('User=system:serviceaccount:a:boss'),
      why: 'serviceaccounts "boss" is forbidden',
    },
    { what: 'a UID', headers: as('User=bob', 'Uid=u'), why: 'uids.authentication.k8s.io "u" is forbidden' },
    {
      what: 'an extra value',
      headers: as('User=bob', 'Extra-Scopes=write'),
      why: 'userextras.authentication.k8s.io "write" is forbidden',
    },
    { what: 'an empty name', headers: as('Group=readers'), why: 'impersonation needs a user name' },
  ])('is refused for $what without permission', async ({ headers, why }) => {
    const objects = await world();
    let refused: unknown;
    try {
      impersonated(objects, ann, { rawHeaders: [...headers] });
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused instanceof Refusal && refused.status.message).toContain(why);
  });
});
