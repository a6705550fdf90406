import { object } from '../../../kube/manifest/decode-shape.ts';
import { membersOf, textOf } from '../store/api-object.ts';
import { invalidValue, required } from '../store/field-causes.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';
import { pemBlocks } from '../../../kube/text/pem-blocks.ts';

/** `true` if the text is certificate blocks with only white space between them. */
function isCertificates(text: string): boolean {
  const blocks = pemBlocks(text);
  const gaps = [...blocks, undefined].map((block, at) => text.slice(blocks[at - 1]?.end ?? 0, block?.start));
  return (
    blocks.length > 0 &&
    gaps.every((gap) => gap.trim() === '') &&
    blocks.every(({ type, body }) => type === 'CERTIFICATE' && /^[A-Za-z0-9+/=\s]+$/.test(body))
  );
}

/** Certificates that pods may be configured to trust (KEP-3257). */
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
      return isCertificates(text)
        ? []
        : [invalidValue('spec.trustBundle', '<value omitted>', 'has blocks that are not certificates')];
    },
  },
});
