import { says, type Row } from './rows.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = `/apis/${GROUP}/v1`;
const make = (path: string, kind: string, body: object, name = 'r:of-contract') => ({
  method: 'POST' as const,
  path: `${ROLES}/${path}`,
  body: { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, ...body },
});
const reads = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'r:of-contract' };

export const roles: readonly Row[] = [
  ['role', make('clusterroles', 'ClusterRole', { rules: [reads] }), says(201)],
  [
    'role no verbs',
    make('clusterroles', 'ClusterRole', { rules: [{ ...reads, verbs: [] }] }, 'r:bad'),
    says(422, 'Invalid', 'FieldValueRequired rules[0].verbs'),
  ],
  [
    'role no groups',
    make('clusterroles', 'ClusterRole', { rules: [{ ...reads, apiGroups: [] }] }, 'r:bad'),
    says(422, 'Invalid', 'FieldValueRequired rules[0].apiGroups'),
  ],
  [
    'role paths in a namespace',
    make('namespaces/team/roles', 'Role', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
    says(422, 'Invalid', 'FieldValueInvalid rules[0].nonResourceURLs'),
  ],
  [
    'binding',
    make('clusterrolebindings', 'ClusterRoleBinding', { roleRef, subjects: [{ kind: 'Group', name: 'readers' }] }),
    says(201),
  ],
  [
    'binding of a namespace',
    make('namespaces/team/rolebindings', 'RoleBinding', {
      roleRef,
      subjects: [{ kind: 'ServiceAccount', namespace: 'team', name: 'default' }],
    }),
    says(201),
  ],
  [
    'binding bad kind',
    make('clusterrolebindings', 'ClusterRoleBinding', { roleRef: { ...roleRef, kind: 'Role' } }, 'r:bad'),
    says(422, 'Invalid', 'FieldValueNotSupported roleRef.kind'),
  ],
  [
    'binding no name',
    make('clusterrolebindings', 'ClusterRoleBinding', { roleRef: { ...roleRef, name: '' } }, 'r:bad'),
    says(422, 'Invalid', 'FieldValueRequired roleRef.name'),
  ],
  [
    'binding changed',
    {
      method: 'PUT',
      path: `${ROLES}/clusterrolebindings/r:of-contract`,
      body: {
        apiVersion: `${GROUP}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'r:of-contract' },
        roleRef: { ...roleRef, name: 'other' },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid roleRef'),
  ],
  [
    'local review elsewhere',
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'LocalSubjectAccessReview',
        metadata: { namespace: 'team' },
        spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.resourceAttributes.namespace'),
  ],
];
