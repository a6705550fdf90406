import { describe, expect, it } from 'vitest';
import { buildPayload } from '../../../src/volumes/plan/build-payload.ts';
import type { FetchedSource } from '../../../src/volumes/plan/volume-plan.ts';
import { planFiles } from '../../../src/volumes/plan/plan-files.ts';
import { goldenNode } from '../../pod/cri-config/golden-case.ts';
import { podWith } from '../../pod/cri-config/one-pod.ts';

const sourcesOf = (...sources: readonly object[]) =>
  planFiles({ name: 'v', projected: { sources } }, podWith({}), goldenNode)?.sources;

describe('the certificate of a pod', () => {
  it("is requested with the pod's settings, for its account", () => {
    const certificate = {
      signerName: 'example.com/signer',
      keyType: 'ED25519',
      maxExpirationSeconds: 3_600,
      credentialBundlePath: 'all.pem',
      keyPath: 'key.pem',
      certificateChainPath: 'chain.pem',
      userAnnotations: { a: 'b' },
    };
    expect(sourcesOf({ podCertificate: certificate })).toEqual([
      {
        type: 'certificate',
        signerName: 'example.com/signer',
        keyType: 'ED25519',
        maxExpirationSeconds: 3_600,
        bundlePath: 'all.pem',
        keyPath: 'key.pem',
        chainPath: 'chain.pem',
        userAnnotations: { a: 'b' },
        serviceAccount: 'default',
      },
    ]);
  });

  it('is rejected by name for an unknown source', () => {
    expect(sourcesOf({ moonlight: {} })).toEqual([
      { type: 'refused', message: 'moonlight: this source of a projected volume is not supported yet' },
    ]);
  });
});

describe('the trusted certificates of a pod', () => {
  it.each([
    { rule: 'are those of a bundle by its name', source: { name: 'roots' }, of: { name: 'roots' } },
    {
      rule: 'are empty for a signer without a selector',
      source: { signerName: 'example.com/s' },
      of: { signerName: 'example.com/s', labels: undefined },
    },
    {
      rule: 'are all of a signer with an empty selector',
      source: { signerName: 'example.com/s', labelSelector: {} },
      of: { signerName: 'example.com/s', labels: '' },
    },
    {
      rule: 'are those of a signer that match a selector',
      source: {
        signerName: 'example.com/s',
        labelSelector: {
          matchLabels: { a: 'b' },
          matchExpressions: [
            { key: 'c', operator: 'In', values: ['d', 'e'] },
            { key: 'f', operator: 'NotIn', values: ['g'] },
            { key: 'h', operator: 'Exists' },
            { key: 'i', operator: 'DoesNotExist' },
          ],
        },
      },
      of: { signerName: 'example.com/s', labels: 'a=b,c in (d,e),f notin (g),h,!i' },
    },
  ])('$rule', ({ source, of }) => {
    expect(sourcesOf({ clusterTrustBundle: { path: 'roots.pem', ...source } })).toEqual([
      { type: 'trust-bundle', path: 'roots.pem', optional: false, of },
    ]);
  });

  const written = (fetched: FetchedSource, optional: boolean) =>
    buildPayload(
      {
        type: 'files',
        name: 'v',
        plugin: 'projected',
        defaultMode: 0o640,
        sources: [{ type: 'trust-bundle', path: 'roots.pem', optional, of: { name: 'roots' } }],
      },
      [fetched],
      { fsGroup: undefined },
    );
  const missing = { type: 'missing', message: 'no such bundle' } as const;

  it('are written unchanged; missing optional bundles give an empty file', () => {
    const file = (text: string) => ({
      ok: true,
      payload: new Map([['roots.pem', { bytes: new TextEncoder().encode(text), mode: 0o640 }]]),
    });
    expect(written({ type: 'trust-bundle', pem: 'certificates' }, false)).toEqual(file('certificates'));
    expect(written(missing, true)).toEqual(file(''));
    expect(written(missing, false)).toEqual({ ok: false, message: 'no such bundle' });
    expect(written({ type: 'failed', message: 'no API' }, true)).toEqual({ ok: false, message: 'no API' });
  });
});
