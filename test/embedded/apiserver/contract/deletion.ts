import { MERGE, pod, PODS, says, type Row } from './rows.ts';

export const deletion: readonly Row[] = [
  ['delete with grace', { method: 'DELETE', path: `${PODS}/a`, body: { gracePeriodSeconds: 20 } }, says(200)],
  ['delete longer', { method: 'DELETE', path: `${PODS}/a`, body: { gracePeriodSeconds: 40 } }, says(200)],
  ['delete shorter', { method: 'DELETE', path: `${PODS}/a`, body: { gracePeriodSeconds: 10 } }, says(200)],
  [
    'delete wrong uid',
    { method: 'DELETE', path: `${PODS}/a`, body: { preconditions: { uid: 'no' } } },
    says(409, 'Conflict'),
  ],
  [
    'delete wrong rv',
    { method: 'DELETE', path: `${PODS}/a`, body: { preconditions: { resourceVersion: '1' } } },
    says(409, 'Conflict'),
  ],
  ['create over dying', { method: 'POST', path: PODS, body: pod('a') }, says(409, 'AlreadyExists')],
  ['force delete', { method: 'DELETE', path: `${PODS}/a`, body: { gracePeriodSeconds: 0 } }, says(200)],
  [
    'force delete again',
    { method: 'DELETE', path: `${PODS}/a`, body: { gracePeriodSeconds: 0 } },
    says(404, 'NotFound'),
  ],
  [
    'finalizer pod',
    { method: 'POST', path: PODS, body: pod('fin', { finalizers: ['example.com/hold'] }, { nodeName: 'n1' }) },
    says(201),
  ],
  ['finalizer delete 0', { method: 'DELETE', path: `${PODS}/fin?gracePeriodSeconds=0` }, says(200)],
  [
    'finalizer add while dying',
    {
      method: 'PATCH',
      path: `${PODS}/fin`,
      type: MERGE,
      body: { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } },
    },
    says(422, 'Invalid', 'FieldValueForbidden metadata.finalizers'),
  ],
  [
    'finalizer release',
    { method: 'PATCH', path: `${PODS}/fin`, type: MERGE, body: { metadata: { finalizers: null } } },
    says(200),
  ],
  ['finalizer gone', { path: `${PODS}/fin` }, says(404, 'NotFound')],
  [
    'bad finalizer',
    { method: 'POST', path: PODS, body: pod('fin2', { finalizers: ['noslash'] }) },
    says(422, 'Invalid', 'FieldValueInvalid metadata.finalizers[0]'),
  ],
  ['unscheduled delete', { method: 'DELETE', path: `${PODS}/ssa` }, says(200)],
  ['unscheduled gone', { path: `${PODS}/ssa` }, says(404, 'NotFound')],
  [
    'delete orphan options',
    { method: 'DELETE', path: `${PODS}/crit`, body: { propagationPolicy: 'Sometimes' } },
    says(422, 'Invalid', 'FieldValueNotSupported propagationPolicy'),
  ],
  ['delete bad grace', { method: 'DELETE', path: `${PODS}/crit?gracePeriodSeconds=abc` }, says(400, 'BadRequest')],
  [
    'mirror pod',
    {
      method: 'POST',
      path: PODS,
      body: pod('mir', { annotations: { 'kubernetes.io/config.mirror': 'h' } }, { nodeName: 'n1' }),
    },
    says(201),
  ],
  [
    'mirror pod change annotation',
    {
      method: 'PATCH',
      path: `${PODS}/mir`,
      type: MERGE,
      body: { metadata: { annotations: { 'kubernetes.io/config.mirror': 'g' } } },
    },
    says(422, 'Invalid', 'FieldValueForbidden metadata.annotations[kubernetes.io/config.mirror]'),
  ],
  [
    'mirror pod with service account',
    {
      method: 'POST',
      path: PODS,
      body: pod(
        'mir2',
        { annotations: { 'kubernetes.io/config.mirror': 'h' } },
        { nodeName: 'n1', serviceAccountName: 'x' },
      ),
    },
    says(201),
  ],
  [
    'mirror no node',
    { method: 'POST', path: PODS, body: pod('mir3', { annotations: { 'kubernetes.io/config.mirror': 'h' } }) },
    says(422, 'Invalid', 'FieldValueInvalid metadata.annotations[kubernetes.io/config.mirror]'),
  ],
];
