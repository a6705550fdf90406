import { NODES, PODS, says, type Row } from './rows.ts';

export const lists: readonly Row[] = [
  ['list', { path: `${PODS}?limit=1` }, says(200)],
  ['list all by node', { path: `/api/v1/pods?fieldSelector=spec.nodeName%3Dn1` }, says(200)],
  ['list bad field', { path: `/api/v1/pods?fieldSelector=spec.foo%3Dn1` }, says(400, 'BadRequest')],
  ['list bad selector', { path: `/api/v1/pods?fieldSelector=foo` }, says(400, 'BadRequest')],
  ['list bad label selector', { path: `/api/v1/pods?labelSelector=a%3D%3D%3Db` }, says(400, 'BadRequest')],
  ['list label value bad', { path: `/api/v1/pods?labelSelector=a%20in%20(b` }, says(400, 'BadRequest')],
  ['list bad continue', { path: `${PODS}?continue=zzz` }, says(400, 'BadRequest')],
  ['list bad limit', { path: `${PODS}?limit=x` }, says(400, 'BadRequest')],
  ['list rv 0', { path: `${PODS}?resourceVersion=0&fieldSelector=metadata.name%3Dmir` }, says(200)],
  [
    'list rv future',
    { path: `${PODS}?resourceVersion=999999999999999` },
    says(504, 'Timeout', 'ResourceVersionTooLarge'),
  ],
  [
    'list rvMatch without rv',
    { path: `${PODS}?resourceVersionMatch=Exact` },
    says(422, 'Invalid', 'FieldValueForbidden resourceVersionMatch'),
  ],
  [
    'list rvMatch bad',
    { path: `${PODS}?resourceVersionMatch=Foo&resourceVersion=1` },
    says(422, 'Invalid', 'FieldValueNotSupported resourceVersionMatch'),
  ],
  [
    'get rv future',
    { path: `${PODS}/mir?resourceVersion=999999999999999` },
    says(504, 'Timeout', 'ResourceVersionTooLarge'),
  ],
  ['get with rv 0', { path: `${PODS}/mir?resourceVersion=0` }, says(200)],
  ['list absent ns', { path: `/api/v1/namespaces/nope/pods` }, says(200)],
  [
    'table',
    { path: `${PODS}/mir`, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    says(200),
  ],
  ['table list', { path: PODS, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }, says(200)],
  ['table nodes', { path: NODES, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }, says(200)],
  [
    'partial',
    { path: `${PODS}/mir`, accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' },
    says(200),
  ],
  [
    'table of version v9',
    { path: `${PODS}/mir`, accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' },
    says(406, 'NotAcceptable'),
  ],
];
