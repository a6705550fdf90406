import { node, NODES, says, STRATEGIC, type Row } from './rows.ts';

export const nodes: readonly Row[] = [
  [
    'create node',
    {
      method: 'POST',
      path: NODES,
      body: node('n1', { status: { capacity: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] } }),
    },
    says(201),
  ],
  ['create node again', { method: 'POST', path: NODES, body: node('n1') }, says(409, 'AlreadyExists')],
  ['get node', { path: `${NODES}/n1` }, says(200)],
  ['get absent node', { path: `${NODES}/nope` }, says(404, 'NotFound')],
  [
    'patch node status',
    {
      method: 'PATCH',
      path: `${NODES}/n1/status`,
      type: STRATEGIC,
      body: {
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'DiskPressure', status: 'False' },
          ],
          addresses: [
            { type: 'InternalIP', address: '10.0.0.1' },
            { type: 'Hostname', address: 'n1' },
          ],
        },
      },
    },
    says(200),
  ],
  [
    'patch node status addresses',
    {
      method: 'PATCH',
      path: `${NODES}/n1/status`,
      type: STRATEGIC,
      body: { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] } },
    },
    says(200),
  ],
  [
    'patch node status addresses with order+delete',
    {
      method: 'PATCH',
      path: `${NODES}/n1/status`,
      type: STRATEGIC,
      body: {
        status: {
          '$setElementOrder/addresses': [{ type: 'InternalIP' }, { type: 'Hostname' }],
          addresses: [
            { type: 'InternalIP', address: '10.0.0.3' },
            { type: 'Hostname', $patch: 'delete' },
          ],
        },
      },
    },
    says(200),
  ],
  [
    'patch node: taint',
    {
      method: 'PATCH',
      path: `${NODES}/n1`,
      type: STRATEGIC,
      body: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    },
    says(200),
  ],
  [
    'patch node: podCIDR',
    { method: 'PATCH', path: `${NODES}/n1`, type: STRATEGIC, body: { spec: { podCIDR: '10.1.0.0/24' } } },
    says(200),
  ],
  [
    'patch node: podCIDR change',
    {
      method: 'PATCH',
      path: `${NODES}/n1`,
      type: STRATEGIC,
      body: { spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] } },
    },
    says(422, 'Invalid', 'FieldValueForbidden spec.podCIDRs'),
  ],
];
