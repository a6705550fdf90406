import { describe, expect, it } from 'vitest';
import { trustAnchors } from '../../../src/volumes/certificates/trust-anchors.ts';
import { TrustBundles } from '../../../src/volumes/certificates/trust-bundles.ts';
import { apiUnderTest, done } from '../../embedded/apiserver/api-under-test.ts';

/** A PEM block with arbitrary content. */
const certificate = (text: string, width = 64): string =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...(Buffer.from(text.repeat(40))
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? []),
    '-----END CERTIFICATE-----',
    '',
  ].join('\n');
const [a, b, c] = ['a', 'b', 'c'].map((text) => certificate(text)) as [string, string, string];
const pemOf = (...bundles: readonly string[]): string => {
  const anchors = trustAnchors(bundles);
  return anchors.ok ? anchors.pem : anchors.message;
};
const countOf = (pem: string): number => pem.split('BEGIN').length - 1;

describe('the certificates of bundles', () => {
  it('are listed once each, in lines of 64, in an arbitrary order', () => {
    expect(countOf(pemOf(a + b, b + c))).toBe(3);
    expect(pemOf(a + b, c)).toBe(pemOf(c, certificate('b', 20) + a));
    expect(pemOf(`a word before\n${a}`)).toBe(a);
    expect(pemOf('')).toBe('');
  });

  it.each([
    ['a key', a.replaceAll('CERTIFICATE', 'PRIVATE KEY'), 'invalid PEM block type: "PRIVATE KEY"'],
    ['with headers', a.replace('\n', '\nProc-Type: 4\n'), 'a PEM block is not in base64'],
  ])('are rejected with an invalid block: %s', (_, bundle, why) => {
    expect(pemOf(a, bundle)).toBe(why);
  });
});

const SIGNER = 'example.com/signer';
const PATH = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';

async function bundles() {
  const { api } = apiUnderTest();
  const put = (name: string, trustBundle: string, labels: Record<string, string> = {}) =>
    done(
      api.create(PATH, {
        apiVersion: 'certificates.k8s.io/v1beta1',
        kind: 'ClusterTrustBundle',
        metadata: { name, labels },
        spec: { signerName: name === 'plain' ? '' : SIGNER, trustBundle },
      }),
    );
  await put('plain', a);
  await put('example.com:signer:one', a + b, { stage: 'live' });
  await put('example.com:signer:two', b + c, { stage: 'next' });
  let now = 0;
  let asked = 0;
  const source = new TrustBundles(
    {
      get(path) {
        asked += 1;
        return api.get(path);
      },
    },
    () => now,
  );
  return { api, source, put, pass: (ms: number) => void (now += ms), asked: () => asked };
}

describe('ClusterTrustBundles', () => {
  const bySigner = (labels: string | undefined, signerName = SIGNER) => ({ signerName, labels });
  const none = {
    type: 'missing',
    message: 'combination of signerName and labelSelector matched zero ClusterTrustBundles',
  };

  it('are fetched by name', async () => {
    const { source } = await bundles();
    expect(await source.get({ name: 'plain' })).toEqual({ type: 'found', pem: a });
    expect(await source.get({ name: 'gone' })).toMatchObject({
      type: 'missing',
      message: expect.stringMatching(/^while getting ClusterTrustBundle: .*not found/) as string,
    });
  });

  it.each([
    { labels: '', found: 3 },
    { labels: 'stage=live', found: 2 },
    { labels: 'stage in (next),!other', found: 2 },
  ])('are had by their signer and the selector "$labels"', async ({ labels, found }) => {
    const { source } = await bundles();
    const answer = await source.get(bySigner(labels));
    expect(answer.type === 'found' && countOf(answer.pem)).toBe(found);
  });

  it.each([
    ['a selector that picks nothing', 'stage=old', SIGNER],
    ['no selector', undefined, SIGNER],
    ['a signer nobody knows', '', 'example.com/other'],
  ])('are missing with %s', async (_, labels, signer) => {
    const { source } = await bundles();
    expect(await source.get(bySigner(labels, signer))).toEqual(none);
  });

  it('are fetched once for all volumes that use them, and again after a while', async () => {
    const { source, pass, asked, api } = await bundles();
    await Promise.all([source.get({ name: 'plain' }), source.get({ name: 'plain' })]);
    expect(asked()).toBe(1);
    await done(api.patch(`${PATH}/plain`, { type: 'merge', body: { spec: { trustBundle: c } } }));
    expect(await source.get({ name: 'plain' })).toEqual({ type: 'found', pem: a });
    pass(20_000);
    expect(await source.get({ name: 'plain' })).toEqual({ type: 'found', pem: c });
  });

  it('are fetched again at once after an error', async () => {
    let isAway = true;
    const { api, put } = await bundles();
    await put('example.com:signer:three', c);
    const fault = { code: 'api-unavailable', message: 'connection refused' } as never;
    const source = new TrustBundles(
      { get: (path) => (isAway ? Promise.resolve({ ok: false, fault }) : api.get(path)) },
      () => 0,
    );
    expect(await source.get({ name: 'plain' })).toEqual({
      type: 'failed',
      message: 'while getting ClusterTrustBundle: connection refused',
    });
    isAway = false;
    expect(await source.get({ name: 'plain' })).toEqual({ type: 'found', pem: a });
  });

  it.each([
    ['nothing', ''],
    ['a key', a.replaceAll('CERTIFICATE', 'PRIVATE KEY')],
  ])('with %s are rejected by the API', async (_, text) => {
    const { put } = await bundles();
    await expect(put('bad', text)).rejects.toThrow('spec.trustBundle');
  });
});
