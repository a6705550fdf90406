import { MERGE, says, type Row } from './rows.ts';

export const smallKinds: readonly Row[] = [
  [
    'namespace',
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    },
    says(201),
  ],
  ['namespace finalize', { path: '/api/v1/namespaces/team' }, says(200)],
  [
    'configmap',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } },
    },
    says(201),
  ],
  [
    'configmap bad key',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd' }, data: { 'a/b': 'b' } },
    },
    says(422, 'Invalid', 'FieldValueInvalid data[a/b]'),
  ],
  [
    'configmap immutable',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'i' }, immutable: true, data: { a: 'b' } },
    },
    says(201),
  ],
  [
    'configmap immutable change',
    { method: 'PATCH', path: '/api/v1/namespaces/team/configmaps/i', type: MERGE, body: { data: { a: 'c' } } },
    says(422, 'Invalid', 'FieldValueForbidden data'),
  ],
  [
    'secret',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/secrets',
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
    },
    says(201),
  ],
  [
    'secret bad b64',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/secrets',
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's2' }, data: { a: '!!!' } },
    },
    says(400, 'BadRequest'),
  ],
  [
    'secret type change',
    { method: 'PATCH', path: '/api/v1/namespaces/team/secrets/s', type: MERGE, body: { type: 'other' } },
    says(422, 'Invalid', 'FieldValueInvalid type'),
  ],
  [
    'secret tls missing',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/secrets',
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's3' }, type: 'kubernetes.io/tls' },
    },
    says(422, 'Invalid', 'FieldValueRequired data[tls.crt]', 'FieldValueRequired data[tls.key]'),
  ],
];
