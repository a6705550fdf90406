import { says, STRATEGIC, type Row } from './rows.ts';

export const leasesAndEvents: readonly Row[] = [
  [
    'lease',
    {
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n1' },
        spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
      },
    },
    says(201),
  ],
  ['lease get', { path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1' }, says(200)],
  [
    'lease bad',
    {
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n3' },
        spec: { holderIdentity: 'n1', leaseDurationSeconds: -1 },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.leaseDurationSeconds'),
  ],
  [
    'lease bad time',
    {
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n3' },
        spec: { holderIdentity: 'n1', renewTime: '2026-01-01T00:00:00Z' },
      },
    },
    says(400, 'BadRequest'),
  ],
  [
    'lease stale PUT',
    {
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n1', resourceVersion: '1' },
        spec: { holderIdentity: 'n2' },
      },
    },
    says(409, 'Conflict'),
  ],
  [
    'lease PUT without rv',
    {
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n1' },
        spec: { holderIdentity: 'n2' },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid metadata.resourceVersion'),
  ],
  [
    'node lease delete',
    { method: 'DELETE', path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1' },
    says(200),
  ],
  [
    'event core',
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/events',
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e1' },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'mir' },
        reason: 'Started',
        message: 'm',
        type: 'Normal',
        count: 1,
        source: { component: 'kubelet', host: 'n1' },
      },
    },
    says(201),
  ],
  [
    'event wrong ns',
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/events',
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e2' },
        involvedObject: { kind: 'Pod', namespace: 'kube-system', name: 'mir' },
        reason: 'Started',
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid involvedObject.namespace'),
  ],
  [
    'event node',
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/events',
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e3' },
        involvedObject: { kind: 'Node', name: 'n1', uid: 'n1' },
        reason: 'Starting',
        message: 'x',
      },
    },
    says(201),
  ],
  [
    'event patch count',
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/default/events/e1',
      type: STRATEGIC,
      body: { count: 2, lastTimestamp: '2026-01-01T00:00:00Z' },
    },
    says(200),
  ],
  [
    'event selector',
    {
      path: '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dmir,type%3DNormal,reason%3DStarted',
    },
    says(200),
  ],
  ['event v1 get', { path: '/apis/events.k8s.io/v1/namespaces/default/events/e1' }, says(200)],
  [
    'event v1 create',
    {
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/default/events',
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'e4' },
        regarding: { kind: 'Pod', namespace: 'default', name: 'mir' },
        reason: 'R',
        note: 'n',
        type: 'Normal',
        action: 'A',
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'kubelet',
        reportingInstance: 'n1',
      },
    },
    says(201),
  ],
  [
    'event v1 bad',
    {
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/default/events',
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'e5' },
        regarding: { kind: 'Pod', namespace: 'default', name: 'mir' },
        reason: 'R',
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid type', 'FieldValueRequired eventTime'),
  ],
  ['event delete', { method: 'DELETE', path: '/api/v1/namespaces/default/events/e1' }, says(200)],
];
