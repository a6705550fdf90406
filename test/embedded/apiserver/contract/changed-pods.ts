import { APPLY, JSON_PATCH, MERGE, pod, PODS, says, STRATEGIC, type Row } from './rows.ts';

export const changedPods: readonly Row[] = [
  ['get a', { path: `${PODS}/a` }, says(200)],
  [
    'update metadata',
    { method: 'PATCH', path: `${PODS}/a`, type: MERGE, body: { metadata: { annotations: { a: 'b' } } } },
    says(200),
  ],
  ['PUT wrong name', { method: 'PUT', path: `${PODS}/a`, body: pod('b') }, says(400, 'BadRequest')],
  ['PUT stale', { method: 'PUT', path: `${PODS}/a`, body: pod('a', { resourceVersion: '1' }) }, says(409, 'Conflict')],
  ['PUT wrong uid', { method: 'PUT', path: `${PODS}/a`, body: pod('a', { uid: 'abc' }) }, says(409, 'Conflict')],
  [
    'PUT forbidden spec',
    { method: 'PUT', path: `${PODS}/a`, body: pod('a', {}, { nodeName: 'n1', hostNetwork: true }) },
    says(422, 'Invalid', 'FieldValueForbidden spec'),
  ],
  ['PUT absent', { method: 'PUT', path: `${PODS}/absent`, body: pod('absent') }, says(404, 'NotFound')],
  [
    'patch image',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: STRATEGIC,
      body: { spec: { containers: [{ name: 'main', image: 'app:2' }] } },
    },
    says(200),
  ],
  [
    'patch same',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: STRATEGIC,
      body: { spec: { containers: [{ name: 'main', image: 'app:2' }] } },
    },
    says(200),
  ],
  [
    'patch no merge key',
    { method: 'PATCH', path: `${PODS}/a`, type: STRATEGIC, body: { spec: { containers: [{ image: 'app:2' }] } } },
    says(500),
  ],
  [
    'patch uid',
    { method: 'PATCH', path: `${PODS}/a`, type: MERGE, body: { metadata: { uid: 'abc' } } },
    says(422, 'Invalid', 'FieldValueInvalid metadata.uid'),
  ],
  [
    'patch rv',
    { method: 'PATCH', path: `${PODS}/a`, type: MERGE, body: { metadata: { resourceVersion: '1' } } },
    says(409, 'Conflict'),
  ],
  ['patch absent', { method: 'PATCH', path: `${PODS}/absent`, type: MERGE, body: {} }, says(404, 'NotFound')],
  [
    'patch unknown type',
    { method: 'PATCH', path: `${PODS}/a`, type: 'application/json', body: {} },
    says(415, 'UnsupportedMediaType'),
  ],
  [
    'patch json bad path',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: JSON_PATCH,
      body: [{ op: 'replace', path: '/spec/nothing/0', value: 1 }],
    },
    says(422, 'Invalid'),
  ],
  [
    'patch json test fails',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: JSON_PATCH,
      body: [{ op: 'test', path: '/metadata/name', value: 'z' }],
    },
    says(422, 'Invalid'),
  ],
  [
    'patch json remove absent',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: JSON_PATCH,
      body: [{ op: 'remove', path: '/metadata/annotations/zz' }],
    },
    says(422, 'Invalid'),
  ],
  [
    'patch json not list',
    { method: 'PATCH', path: `${PODS}/a`, type: JSON_PATCH, body: { op: 'x' } },
    says(400, 'BadRequest'),
  ],
  [
    'patch json bad op',
    {
      method: 'PATCH',
      path: `${PODS}/a`,
      type: JSON_PATCH,
      body: [{ op: 'frob', path: '/metadata/name', value: 'z' }],
    },
    says(422, 'Invalid'),
  ],
  [
    'patch merge not object',
    { method: 'PATCH', path: `${PODS}/a`, type: MERGE, body: '[]' },
    says(422, 'Invalid', 'FieldValueInvalid patch'),
  ],
  ['patch smp broken', { method: 'PATCH', path: `${PODS}/a`, type: STRATEGIC, body: '{' }, says(400, 'BadRequest')],
  [
    'patch smp wrong type',
    { method: 'PATCH', path: `${PODS}/a`, type: STRATEGIC, body: { spec: { containers: 'x' } } },
    says(422, 'Invalid', 'FieldValueInvalid patch'),
  ],
  [
    'patch merge wrong type',
    { method: 'PATCH', path: `${PODS}/a`, type: MERGE, body: { spec: { containers: 'x' } } },
    says(422, 'Invalid', 'FieldValueInvalid patch'),
  ],
  ['patch empty', { method: 'PATCH', path: `${PODS}/a`, type: STRATEGIC, body: {} }, says(200)],
  ['apply', { method: 'PATCH', path: `${PODS}/ssa?fieldManager=me`, type: APPLY, body: pod('ssa') }, says(201)],
  [
    'apply no manager',
    { method: 'PATCH', path: `${PODS}/ssa`, type: APPLY, body: pod('ssa') },
    says(422, 'Invalid', 'FieldValueRequired fieldManager'),
  ],
  [
    'apply other name',
    { method: 'PATCH', path: `${PODS}/ssa?fieldManager=me`, type: APPLY, body: pod('ssb') },
    says(400, 'BadRequest'),
  ],
  [
    'apply conflict',
    {
      method: 'PATCH',
      path: `${PODS}/ssa?fieldManager=you`,
      type: APPLY,
      body: pod('ssa', {}, { containers: [{ name: 'main', image: 'app:9' }] }),
    },
    says(409, 'Conflict', 'FieldManagerConflict .spec.containers[name="main"].image'),
  ],
  [
    'apply force',
    {
      method: 'PATCH',
      path: `${PODS}/ssa?fieldManager=you&force=true`,
      type: APPLY,
      body: pod('ssa', {}, { containers: [{ name: 'main', image: 'app:9' }] }),
    },
    says(200),
  ],
  [
    'apply with managedFields',
    {
      method: 'PATCH',
      path: `${PODS}/ssa?fieldManager=me&force=true`,
      type: APPLY,
      body: pod('ssa', { managedFields: [{ manager: 'x' }] }),
    },
    says(400, 'BadRequest'),
  ],
  [
    'force on merge patch',
    { method: 'PATCH', path: `${PODS}/a?force=true`, type: MERGE, body: {} },
    says(422, 'Invalid', 'FieldValueForbidden force'),
  ],
  [
    'apply no kind',
    { method: 'PATCH', path: `${PODS}/ssa?fieldManager=me`, type: APPLY, body: { metadata: { name: 'ssa' } } },
    says(400, 'BadRequest'),
  ],
];
