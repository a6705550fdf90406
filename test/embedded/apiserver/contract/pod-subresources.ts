import { pod, PODS, says, STRATEGIC, type Row } from './rows.ts';

export const podSubresources: readonly Row[] = [
  [
    'status patch',
    {
      method: 'PATCH',
      path: `${PODS}/a/status`,
      type: STRATEGIC,
      body: {
        metadata: { uid: '$UID' },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [
            { name: 'main', ready: true, restartCount: 0, image: 'app:2', imageID: '', state: { running: {} } },
          ],
        },
      },
    },
    says(200),
  ],
  [
    'status patch wrong uid',
    {
      method: 'PATCH',
      path: `${PODS}/a/status`,
      type: STRATEGIC,
      body: { metadata: { uid: 'wrong' }, status: { phase: 'Failed' } },
    },
    says(422, 'Invalid', 'FieldValueInvalid metadata.uid'),
  ],
  [
    'status patch spec ignored',
    {
      method: 'PATCH',
      path: `${PODS}/a/status`,
      type: STRATEGIC,
      body: { spec: { activeDeadlineSeconds: 5 }, metadata: { labels: { x: 'y' } } },
    },
    says(200),
  ],
  ['status get', { path: `${PODS}/a/status` }, says(200)],
  [
    'status put',
    { method: 'PUT', path: `${PODS}/a/status`, body: { ...pod('a'), status: { phase: 'Running' } } },
    says(200),
  ],
  [
    'status patch bad',
    {
      method: 'PATCH',
      path: `${PODS}/a/status`,
      type: STRATEGIC,
      body: {
        status: { containerStatuses: [{ name: 'zzz', ready: true, restartCount: 0, image: 'app:2', imageID: '' }] },
      },
    },
    says(200),
  ],
  ['log without node', { path: `${PODS}/crit/log` }, says(204)],
  ['log absent', { path: `${PODS}/absent/log` }, says(404, 'NotFound')],
  ['log bad container', { path: `${PODS}/a/log?container=nope` }, says(400, 'BadRequest')],
  ['log bad tail', { path: `${PODS}/a/log?tailLines=-1` }, says(422, 'Invalid', 'FieldValueInvalid tailLines')],
  ['log both since', { path: `${PODS}/a/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z` }, says(422, 'Invalid')],
  [
    'binding',
    {
      method: 'POST',
      path: `${PODS}/crit/binding`,
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'crit' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      },
    },
    says(201),
  ],
  [
    'binding again',
    {
      method: 'POST',
      path: `${PODS}/crit/binding`,
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'crit' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n2' },
      },
    },
    says(409, 'Conflict'),
  ],
  [
    'binding no target',
    {
      method: 'POST',
      path: `${PODS}/crit/binding`,
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'crit' }, target: { name: '' } },
    },
    says(500),
  ],
  [
    'binding absent',
    {
      method: 'POST',
      path: `${PODS}/zz/binding`,
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'zz' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      },
    },
    says(404, 'NotFound'),
  ],
];
