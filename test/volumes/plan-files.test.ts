import { describe, expect, it } from 'vitest';
import { planFiles } from '../../src/volumes/plan-files.ts';
import { goldenNode } from '../pod-config/golden-case.ts';
import { podWith } from '../pod-config/one-pod.ts';

const sourcesOf = (...sources: readonly object[]) =>
  planFiles({ name: 'v', projected: { sources } }, podWith({}), goldenNode)?.sources;

describe('sources of a projected volume that this agent does not have', () => {
  const bundle = { name: 'roots', path: 'roots.pem' };

  it.each([
    ['clusterTrustBundle', bundle],
    ['clusterTrustBundle', { ...bundle, optional: false }],
    ['podCertificate', { signerName: 'example.com/signer', keyType: 'ED25519', credentialBundlePath: 'all.pem' }],
  ])('%s: is refused by name, and the pod does not start without it', (kind, source) => {
    expect(sourcesOf({ [kind]: source })).toEqual([
      { type: 'refused', message: `${kind}: this source of a projected volume is not supported yet` },
    ]);
  });

  it('clusterTrustBundle, where it is optional: is empty, as it is when nobody has made one', () => {
    const item = { path: 'name', fieldRef: { fieldPath: 'metadata.name' } };
    expect(
      sourcesOf({ clusterTrustBundle: { ...bundle, optional: true } }, { downwardAPI: { items: [item] } }),
    ).toEqual([{ type: 'text', path: 'name', text: 'p' }]);
  });
});
