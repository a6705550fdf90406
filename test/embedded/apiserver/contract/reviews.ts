import { says, type Row } from './rows.ts';

export const reviews: readonly Row[] = [
  [
    'serviceaccount',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts',
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bob' } },
    },
    says(201),
  ],
  [
    'token',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts/bob/token',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['a'], expirationSeconds: 600 },
      },
    },
    says(201),
  ],
  [
    'token short',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts/bob/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 60 } },
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.expirationSeconds'),
  ],
  [
    'token absent',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts/eve/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    },
    says(404, 'NotFound'),
  ],
  [
    'token bound absent pod',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts/bob/token',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'zz', uid: 'q' } },
      },
    },
    says(404, 'NotFound'),
  ],
  [
    'token bound bad kind',
    {
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts/bob/token',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: { kind: 'Frob', apiVersion: 'v1', name: 'zz', uid: 'q' } },
      },
    },
    says(400, 'BadRequest'),
  ],
  [
    'tokenreview bad',
    {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'abc' } },
    },
    says(201),
  ],
  [
    'tokenreview empty',
    {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} },
    },
    says(400, 'BadRequest'),
  ],
  [
    'sar',
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: 'x',
          groups: ['system:masters'],
          resourceAttributes: { verb: 'get', resource: 'nodes', subresource: 'proxy', name: 'n1' },
        },
      },
    },
    says(201),
  ],
  [
    'sar nobody',
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { resourceAttributes: { verb: 'get' } },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.user'),
  ],
  [
    'ssar',
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      },
    },
    says(201),
  ],
  [
    'csr bad',
    {
      method: 'POST',
      path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      body: {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'r' },
        spec: {
          request: 'YWJj',
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature'],
        },
      },
    },
    says(422, 'Invalid', 'FieldValueInvalid spec.request'),
  ],
];
