import { conditions } from '../../../kube/manifest/conditions-shape.ts';
import { list, map, object } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { invalidValue, required } from '../store/field-causes.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const isSigningRequest = (request: unknown): boolean =>
  typeof request !== 'string' ||
  Buffer.from(request, 'base64').toString().trimStart().startsWith('-----BEGIN CERTIFICATE REQUEST-----');
const noSigningRequest = invalidValue('spec.request', '', 'PEM block type must be CERTIFICATE REQUEST');

/** Certificate signing requests. The server records the requesting user, whatever the request contains. */
export const certificateRequestKind = defineKind({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  resource: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  hasStatus: true,
  shape: topLevel({
    spec: object({
      request: 'string',
      signerName: 'string',
      expirationSeconds: 'int',
      usages: list('string'),
      username: 'string',
      uid: 'string',
      groups: list('string'),
      extra: map(list('string')),
    }),
    status: object({ conditions, certificate: 'string' }),
  }),
  fields: { 'spec.signerName': (object) => textOf(membersOf(object, 'spec')['signerName']) },
  rules: {
    prepareCreate: (object, { user }) => ({
      ...object,
      spec: {
        ...(isMembers(object.spec) ? object.spec : {}),
        username: user.username,
        groups: user.groups,
        ...(user.uid !== undefined && { uid: user.uid }),
        ...(user.extra !== undefined && { extra: user.extra }),
      },
      status: {},
    }),
    prepareUpdate: (object, old) => ({ ...object, spec: old.spec }),
    validate: (object) =>
      ['request', 'signerName', 'usages']
        .filter((member) => !own(membersOf(object, 'spec'), member))
        .map((member) => required(`spec.${member}`))
        .concat(isSigningRequest(membersOf(object, 'spec')['request']) ? [] : [noSigningRequest]),
  },
});
