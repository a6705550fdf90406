import { object } from '../../kube/decode-shape.ts';
import { membersOf, textOf } from '../api-object.ts';
import { invalidValue, required } from '../field-causes.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const CERTIFICATES = /^(\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

/** Certificates that pods may be told to trust (KEP-3257). */
export const trustBundleKind = defineKind({
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  kind: 'ClusterTrustBundle',
  resource: 'clustertrustbundles',
  namespaced: false,
  shape: topLevel({ spec: object({ signerName: 'string', trustBundle: 'string' }) }),
  fields: { 'spec.signerName': (bundle) => textOf(membersOf(bundle, 'spec')['signerName']) },
  rules: {
    validate(bundle) {
      const text = textOf(membersOf(bundle, 'spec')['trustBundle']);
      if (text === '') return [required('spec.trustBundle')];
      return CERTIFICATES.test(text)
        ? []
        : [invalidValue('spec.trustBundle', '<value omitted>', 'has blocks that are no certificates')];
    },
  },
});
