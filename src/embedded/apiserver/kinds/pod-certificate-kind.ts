import { conditions } from '../../../kube/manifest/conditions-shape.ts';
import { map, object } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import { membersOf, textOf } from '../store/api-object.ts';
import { required } from '../store/field-causes.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const REQUIRED = ['signerName', 'podName', 'podUID', 'serviceAccountName', 'serviceAccountUID', 'nodeName', 'nodeUID'];
const OF_KEY = ['pkixPublicKey', 'proofOfPossession'];

/**
 * Certificate requests of nodes for their pods (KEP-4317). A signer writes the status; this server signs none by
 * itself.
 */
export const podCertificateKind = defineKind({
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  kind: 'PodCertificateRequest',
  resource: 'podcertificaterequests',
  namespaced: true,
  hasStatus: true,
  shape: topLevel({
    spec: object({
      signerName: 'string',
      podName: 'string',
      podUID: 'string',
      serviceAccountName: 'string',
      serviceAccountUID: 'string',
      nodeName: 'string',
      nodeUID: 'string',
      maxExpirationSeconds: 'int',
      pkixPublicKey: 'string',
      proofOfPossession: 'string',
      unverifiedUserAnnotations: map('string'),
    }),
    status: object({
      conditions,
      certificateChain: 'string',
      notBefore: 'string',
      beginRefreshAt: 'string',
      notAfter: 'string',
    }),
  }),
  fields: {
    'spec.signerName': (request) => textOf(membersOf(request, 'spec')['signerName']),
    'spec.nodeName': (request) => textOf(membersOf(request, 'spec')['nodeName']),
  },
  rules: {
    prepareCreate: (request) => ({ ...request, status: {} }),
    prepareUpdate: (request, old) => ({ ...request, spec: old.spec }),
    validate: (request) =>
      [...REQUIRED, ...OF_KEY]
        .filter((member) => !own(membersOf(request, 'spec'), member))
        .map((member) => required(`spec.${member}`)),
  },
});
