import { pod, PODS, says, type Row } from './rows.ts';

export const newPods: readonly Row[] = [
  [
    'pod on node',
    { method: 'POST', path: PODS, body: pod('a', { labels: { app: 'a' } }, { nodeName: 'n1' }) },
    says(201),
  ],
  ['pod again', { method: 'POST', path: PODS, body: pod('a') }, says(409, 'AlreadyExists')],
  [
    'pod no name',
    { method: 'POST', path: PODS, body: pod('') },
    says(422, 'Invalid', 'FieldValueRequired metadata.name'),
  ],
  [
    'pod generateName',
    { method: 'POST', path: PODS, body: { ...pod(''), metadata: { generateName: 'gen-' } } },
    says(201),
  ],
  [
    'pod wrong namespace',
    { method: 'POST', path: PODS, body: pod('x', { namespace: 'other' }) },
    says(400, 'BadRequest'),
  ],
  [
    'pod absent namespace',
    { method: 'POST', path: '/api/v1/namespaces/nope/pods', body: pod('x') },
    says(404, 'NotFound'),
  ],
  [
    'pod at all-namespace path',
    { method: 'POST', path: '/api/v1/pods', body: pod('x') },
    says(405, 'MethodNotAllowed'),
  ],
  [
    'pod no containers',
    { method: 'POST', path: PODS, body: { ...pod('x'), spec: {} } },
    says(422, 'Invalid', 'FieldValueRequired spec.containers'),
  ],
  [
    'pod bad name',
    { method: 'POST', path: PODS, body: pod('X_Y') },
    says(422, 'Invalid', 'FieldValueInvalid metadata.name'),
  ],
  [
    'pod bad image & policy',
    {
      method: 'POST',
      path: PODS,
      body: pod(
        'x',
        {},
        {
          restartPolicy: 'Sometimes',
          containers: [
            { name: 'Main', image: '' },
            { name: 'a', image: 'b' },
            { name: 'a', image: 'b', imagePullPolicy: 'Maybe' },
          ],
        },
      ),
    },
    says(
      422,
      'Invalid',
      'FieldValueDuplicate spec.containers[2].name',
      'FieldValueInvalid spec.containers[0].name',
      'FieldValueNotSupported spec.containers[2].imagePullPolicy',
      'FieldValueNotSupported spec.restartPolicy',
      'FieldValueRequired spec.containers[0].image',
    ),
  ],
  [
    'pod bad port',
    {
      method: 'POST',
      path: PODS,
      body: pod('x', {}, { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 70000 }] }] }),
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.containers[0].ports[0].containerPort'),
  ],
  [
    'pod bad volume mount',
    {
      method: 'POST',
      path: PODS,
      body: pod('x', {}, { containers: [{ name: 'a', image: 'b', volumeMounts: [{ name: 'v', mountPath: '/x' }] }] }),
    },
    says(422, 'Invalid', 'FieldValueNotFound spec.containers[0].volumeMounts[0].name'),
  ],
  [
    'pod bad resources',
    {
      method: 'POST',
      path: PODS,
      body: pod(
        'x',
        {},
        { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] },
      ),
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.containers[0].resources.requests'),
  ],
  [
    'pod unparsable quantity',
    {
      method: 'POST',
      path: PODS,
      body: pod('x', {}, { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: 'lots' } } }] }),
    },
    says(400, 'BadRequest'),
  ],
  [
    'pod wrong type',
    { method: 'POST', path: PODS, body: pod('x', {}, { containers: 'many' }) },
    says(400, 'BadRequest'),
  ],
  ['pod with resourceVersion', { method: 'POST', path: PODS, body: pod('x', { resourceVersion: '5' }) }, says(500)],
  [
    'pod bad label',
    { method: 'POST', path: PODS, body: pod('x', { labels: { 'a b': 'c d' } }) },
    says(422, 'Invalid', 'FieldValueInvalid metadata.labels'),
  ],
  [
    'pod bad priority class',
    { method: 'POST', path: PODS, body: pod('x', {}, { priorityClassName: 'nope' }) },
    says(403, 'Forbidden'),
  ],
  [
    'pod critical class',
    { method: 'POST', path: PODS, body: pod('crit', {}, { priorityClassName: 'system-node-critical' }) },
    says(201),
  ],
  [
    'pod runtime class absent',
    { method: 'POST', path: PODS, body: pod('x', {}, { runtimeClassName: 'nope' }) },
    says(403, 'Forbidden'),
  ],
  [
    'kind mismatch',
    { method: 'POST', path: PODS, body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' } } },
    says(400, 'BadRequest'),
  ],
  [
    'version mismatch',
    { method: 'POST', path: PODS, body: { ...pod('x'), apiVersion: 'v2' } },
    says(400, 'BadRequest'),
  ],
  [
    'no kind',
    {
      method: 'POST',
      path: PODS,
      body: { metadata: { name: 'x' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
    says(201),
  ],
  ['not json', { method: 'POST', path: PODS, body: '{nope', type: 'application/json' }, says(400, 'BadRequest')],
  ['empty body', { method: 'POST', path: PODS, body: '' }, says(400, 'BadRequest')],
  [
    'unknown media type',
    { method: 'POST', path: PODS, body: 'x', type: 'text/plain' },
    says(415, 'UnsupportedMediaType'),
  ],
  ['not acceptable', { path: PODS, accept: 'text/plain' }, says(406, 'NotAcceptable')],
  ['dry run', { method: 'POST', path: `${PODS}?dryRun=All`, body: pod('dry') }, says(201)],
  [
    'dry run bad',
    { method: 'POST', path: `${PODS}?dryRun=Some`, body: pod('dry') },
    says(422, 'Invalid', 'FieldValueNotSupported dryRun'),
  ],
  ['get dry', { path: `${PODS}/dry` }, says(404, 'NotFound')],
];
