import { MERGE, NODES, pod, PODS, says, type Row } from './rows.ts';

export const pathsAndTheRest: readonly Row[] = [
  [
    'runtimeclass',
    {
      method: 'POST',
      path: '/apis/node.k8s.io/v1/runtimeclasses',
      body: {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: 'fast' },
        handler: 'runc',
        overhead: { podFixed: { cpu: '10m' } },
      },
    },
    says(201),
  ],
  [
    'pod with runtimeclass',
    { method: 'POST', path: PODS, body: pod('rc', {}, { runtimeClassName: 'fast' }) },
    says(201),
  ],
  ['method on pod', { method: 'POST', path: `${PODS}/mir`, body: pod('mir') }, says(405, 'MethodNotAllowed')],
  ['method on collection', { method: 'PUT', path: PODS, body: pod('mir') }, says(405, 'MethodNotAllowed')],
  ['PATCH collection', { method: 'PATCH', path: PODS, type: MERGE, body: {} }, says(405, 'MethodNotAllowed')],
  ['unknown resource', { path: '/api/v1/widgets' }, says(404, 'NotFound')],
  ['unknown subresource', { path: `${PODS}/mir/frob` }, says(404, 'NotFound')],
  ['unknown group', { path: '/apis/none.example/v1/x' }, says(404)],
  ['root', { path: '/' }, says(200)],
  ['healthz', { path: '/healthz' }, says(200)],
  ['readyz', { path: '/readyz' }, says(200)],
  ['delete collection by label', { method: 'DELETE', path: `${PODS}?labelSelector=none%3Dx` }, says(200)],
  ['delete collection', { method: 'DELETE', path: PODS, body: { gracePeriodSeconds: 0 } }, says(200)],
  ['list empty', { path: PODS }, says(200)],
  ['delete cm', { method: 'DELETE', path: '/api/v1/namespaces/team/configmaps/c' }, says(200)],
  ['delete ns', { method: 'DELETE', path: '/api/v1/namespaces/team' }, says(200)],
  ['delete default ns', { method: 'DELETE', path: '/api/v1/namespaces/default' }, says(403, 'Forbidden')],
  ['watch object', { path: `${NODES}/n1?watch=1&timeoutSeconds=1` }, says(200)],
  ['delete node', { method: 'DELETE', path: `${NODES}/n1` }, says(200)],
];
