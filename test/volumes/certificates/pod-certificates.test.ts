import { constants, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildPayload } from '../../../src/volumes/plan/build-payload.ts';
import { certificateKey } from '../../../src/volumes/certificates/pod-certificate-key.ts';
import {
  certificateState,
  problemsOf,
  afterRequestCheck,
  nextStep,
  type CertificateRecord,
} from '../../../src/volumes/certificates/pod-certificate-state.ts';
import { PodCertificates, type CertificateSource } from '../../../src/volumes/certificates/pod-certificates.ts';
import { apiUnderTest, done, NOW } from '../../embedded/apiserver/api-under-test.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const text = (at: number): string => new Date(at).toISOString();

describe('the key of a pod certificate', () => {
  it.each(['ED25519', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'RSA3072'])('%s signs the pod’s UID', async (type) => {
    const key = await certificateKey(type, 'uid-1');
    if (key === undefined) throw new Error('no key');
    const publicKey = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' });
    const padding = type.startsWith('RSA') ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
    const hash = type === 'ED25519' ? null : 'sha256';
    const proof = Buffer.from(key.proof, 'base64');
    expect(verify(hash, Buffer.from('uid-1'), { key: publicKey, ...padding }, proof)).toBe(true);
    expect(key.privatePem).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(createPublicKey(createPrivateKey(key.privatePem)).equals(publicKey)).toBe(true);
  });

  it('of an unknown type is rejected', async () => {
    expect(await certificateKey('DSA', 'uid-1')).toBeUndefined();
  });
});

const key = { privatePem: 'key', publicKey: 'p', proof: 's' };
const issued = { key: 'old', chain: 'c', refreshAt: 100, notAfter: 200 };
const asked = { name: 'req-1', key };

describe('a pod certificate', () => {
  it.each<{ rule: string; record: CertificateRecord; now: number; step: string }>([
    { rule: 'is requested', record: {}, now: 0, step: 'ask' },
    { rule: 'is awaited', record: { asked }, now: 0, step: 'check' },
    { rule: 'is used until its refresh is due', record: { issued }, now: 99, step: 'use' },
    { rule: 'is requested again at its refresh', record: { issued }, now: 100, step: 'ask' },
    { rule: 'is awaited again', record: { issued, asked }, now: 100, step: 'check' },
    {
      rule: 'is not requested again once it was denied',
      record: { refused: { message: '', until: Number.POSITIVE_INFINITY, end: 'denied' } },
      now: 10 ** 12,
      step: 'refused',
    },
    {
      rule: 'stays in use when its refresh was denied',
      record: { issued, refused: { message: '', until: 150, end: 'denied' } },
      now: 120,
      step: 'use',
    },
    {
      rule: 'is not used after it has expired',
      record: { issued, refused: { message: '', until: 300, end: 'denied' } },
      now: 200,
      step: 'refused',
    },
    {
      rule: 'is requested again a while after its refresh was denied',
      record: { issued, refused: { message: '', until: 150, end: 'denied' } },
      now: 150,
      step: 'ask',
    },
  ])('$rule', ({ record, now, step }) => {
    expect(nextStep(record, now)).toBe(step);
  });

  it.each([
    { record: {}, now: 0, state: 'not_yet_issued' },
    { record: { refused: { message: '', until: 1, end: 'failed' as const } }, now: 0, state: 'failed' },
    { record: { issued: { ...issued, notAfter: HOUR } }, now: 10 * MINUTE, state: 'fresh' },
    { record: { issued: { ...issued, notAfter: HOUR } }, now: 10 * MINUTE + 100, state: 'overdue_for_refresh' },
    { record: { issued }, now: 200, state: 'expired' },
  ])('is $state', ({ record, now, state }) => {
    expect(certificateState(record, now)).toBe(state);
  });

  const refused = { message: 'no', until: 100, end: 'failed' as const };
  it.each<{ what: string; record: CertificateRecord; now: number; reasons: readonly string[] }>([
    { what: 'is not issued yet', record: { asked }, now: 0, reasons: [] },
    { what: 'is fresh', record: { issued }, now: 100, reasons: [] },
    {
      what: 'is overdue',
      record: { issued: { ...issued, notAfter: HOUR } },
      now: 10 * MINUTE + 100,
      reasons: ['CertificateOverdueForRefresh'],
    },
    { what: 'has expired', record: { issued }, now: 200, reasons: ['CertificateExpired'] },
    { what: 'has failed', record: { refused }, now: 0, reasons: ['Failed'] },
    { what: 'was denied', record: { issued, refused: { ...refused, end: 'denied' } }, now: 0, reasons: ['Denied'] },
    { what: 'was denied long ago', record: { issued, refused }, now: 100, reasons: [] },
  ])('that $what has events $reasons', ({ record, now, reasons }) => {
    expect(problemsOf(record, now).map(({ reason }) => reason)).toEqual(reasons);
  });

  const after = (status: object, record: CertificateRecord = { asked }) =>
    afterRequestCheck(record, { metadata: { name: 'req-1' }, status }, { now: 1_000, waitMs: 7 });
  const ended = (type: string, more: object = {}) => ({ conditions: [{ type, status: 'True', ...more }] });

  it('is returned with its chain, and refreshed after the time of its signer, never after its expiry', () => {
    const times = { beginRefreshAt: text(5_000), notAfter: text(9_000) };
    expect(after({ ...ended('Issued'), certificateChain: 'chain', ...times })).toEqual({
      issued: { key: 'key', chain: 'chain', refreshAt: 5_007, notAfter: 9_000 },
    });
    const late = { beginRefreshAt: text(8_999), notAfter: text(9_000) };
    expect(after({ ...ended('Issued'), ...late }).issued?.refreshAt).toBe(9_000);
  });

  it.each([
    { status: undefined, what: 'there is no condition' },
    { status: { conditions: [{ type: 'Issued', status: 'False' }] }, what: 'the certificate is not issued' },
  ])('is still awaited while $what', ({ status }) => {
    expect(after(status as never)).toEqual({ asked });
  });

  it('fails for good when it is denied or cannot be issued; its refresh fails for ten minutes', () => {
    const message = 'PodCertificateRequest req-1 was denied (Policy: not you)';
    const denied = ended('Denied', { reason: 'Policy', message: 'not you' });
    expect(after(denied)).toEqual({ refused: { message, until: Number.POSITIVE_INFINITY, end: 'denied' } });
    expect(after(denied, { asked, issued })).toEqual({
      issued,
      refused: { message, until: 1_000 + 10 * MINUTE, end: 'denied' },
    });
    expect(after(ended('Failed')).refused?.message).toBe('PodCertificateRequest req-1 was failed');
  });
});

const PATH = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests';
const source: CertificateSource = {
  type: 'certificate',
  signerName: 'example.com/signer',
  keyType: 'ED25519',
  bundlePath: 'all.pem',
  userAnnotations: { 'example.com/a': 'b' },
  serviceAccount: 'default',
};
const pod = { namespace: 'default', podName: 'web', podUid: 'uid-1' };

interface Requested {
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

async function node() {
  const { api, clock } = apiUnderTest();
  await done(api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await api.create('/api/v1/namespaces/default/serviceaccounts', account);
  const complaints: string[] = [];
  const complain = ({ podName }: typeof pod, { reason, message }: { reason: string; message: string }): void =>
    void complaints.push(`${podName} ${reason} ${message}`);
  const make = () => new PodCertificates({ api, clock, random: () => 0.5, nodeName: 'n1', complain });
  const requests = async (): Promise<readonly Requested[]> =>
    ((await done(api.get(PATH))) as unknown as { readonly items: readonly Requested[] }).items;
  const end = async (type: string, status: object = {}): Promise<void> => {
    const name = (await requests()).at(-1)?.metadata.name ?? '';
    const body = { status: { conditions: [{ type, status: 'True', reason: 'R', message: 'm' }], ...status } };
    await done(api.patch(`${PATH}/${name}/status`, { type: 'merge', body }));
  };
  const times = (at: number) => ({ beginRefreshAt: text(at + HOUR), notAfter: text(at + 2 * HOUR) });
  return { api, clock, make, requests, end, times, complaints };
}

describe('pod certificates', () => {
  const waiting = { type: 'failed', message: 'the certificate of the pod has not been issued yet' };

  it('are requested once in the pod’s name, awaited, and used', async () => {
    const { make, requests, end, times } = await node();
    const certificates = make();
    expect(await Promise.all([certificates.get(pod, source), certificates.get(pod, source)])).toEqual([
      waiting,
      waiting,
    ]);
    expect(await certificates.get(pod, source)).toEqual(waiting);
    expect(await requests()).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: expect.stringMatching(/^req-/) as string,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-1' }],
        }) as object,
        spec: expect.objectContaining({
          signerName: 'example.com/signer',
          podName: 'web',
          podUID: 'uid-1',
          serviceAccountName: 'default',
          nodeName: 'n1',
          nodeUID: expect.stringMatching(/^0/) as string,
          serviceAccountUID: expect.stringMatching(/^0/) as string,
          maxExpirationSeconds: 86_400,
          unverifiedUserAnnotations: { 'example.com/a': 'b' },
        }) as object,
      }),
    ]);
    await end('Issued', { certificateChain: 'chain', ...times(NOW) });
    const found = await certificates.get(pod, source);
    expect(found).toEqual({ type: 'found', chain: 'chain', key: expect.stringContaining('PRIVATE KEY') as string });
    expect(await certificates.get(pod, source)).toEqual(found);
    expect(await requests()).toHaveLength(1);
    expect(certificates.counts()).toEqual([[['example.com/signer', 'fresh'], 1]]);
  });

  it("are refreshed at their signer's time, with a new key; the old certificate is used until then", async () => {
    const { make, requests, end, times, clock } = await node();
    const certificates = make();
    await certificates.get(pod, source);
    await end('Issued', { certificateChain: 'one', ...times(NOW) });
    const first = await certificates.get(pod, source);
    clock.advance(HOUR + 2 * MINUTE);
    await certificates.get(pod, source);
    expect(await requests()).toHaveLength(1);
    clock.advance(MINUTE);
    expect(await certificates.get(pod, source)).toEqual(first);
    expect(await requests()).toHaveLength(2);
    await end('Issued', { certificateChain: 'two', ...times(NOW + HOUR) });
    const second = await certificates.get(pod, source);
    expect(second).toMatchObject({ type: 'found', chain: 'two' });
    expect(second.type === 'found' && first.type === 'found' && second.key !== first.key).toBe(true);
  });

  it('record their denial in one event, and are not requested again', async () => {
    const { make, requests, end, complaints } = await node();
    const certificates = make();
    await certificates.get(pod, source);
    await end('Denied');
    const name = (await requests())[0]?.metadata.name ?? '';
    const no = { type: 'failed', message: `PodCertificateRequest ${name} was denied (R: m)` };
    expect(await certificates.get(pod, source)).toEqual(no);
    expect(await certificates.get(pod, source)).toEqual(no);
    expect(complaints).toEqual([`web Denied ${no.message}`]);
    expect(await requests()).toHaveLength(1);
  });

  it('are reported as overdue when the refresh is missing, and as expired', async () => {
    const { make, end, times, complaints, clock } = await node();
    const certificates = make();
    await certificates.get(pod, source);
    await end('Issued', { certificateChain: 'one', ...times(NOW) });
    await certificates.get(pod, source);
    for (let minutes = 0; minutes < 130; minutes += 1) {
      clock.advance(MINUTE);
      await certificates.get(pod, source);
    }
    expect(complaints).toEqual([
      'web CertificateOverdueForRefresh the certificate of a projected volume should have been refreshed at ' +
        text(NOW + HOUR + 2.5 * MINUTE),
      `web CertificateExpired the certificate of a projected volume expired at ${text(NOW + 2 * HOUR)}`,
    ]);
  });

  it('are requested again when the request was deleted, and after a restart of the agent', async () => {
    const { make, requests, api } = await node();
    const certificates = make();
    await certificates.get(pod, source);
    await done(api.delete(`${PATH}/${(await requests())[0]?.metadata.name}`, {}));
    expect(await certificates.get(pod, source)).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('not found') as string,
    });
    expect(await certificates.get(pod, source)).toEqual(waiting);
    expect(await requests()).toHaveLength(1);
    await make().get(pod, source);
    expect(await requests()).toHaveLength(2);
  });

  it.each([
    { what: 'a missing account', of: { ...source, serviceAccount: 'nobody' }, why: 'not found' },
    { what: 'an unknown key type', of: { ...source, keyType: 'DSA' }, why: 'unknown type of key "DSA"' },
  ])('are not requested with $what', async ({ of, why }) => {
    const { make, requests } = await node();
    expect(await make().get(pod, of)).toMatchObject({ message: expect.stringContaining(why) as string });
    expect(await requests()).toEqual([]);
  });

  it('are written to one file or two, readable by the pod’s user only', () => {
    const paths = { bundlePath: 'all.pem', keyPath: 'key.pem', chainPath: 'chain.pem' };
    const plan = { type: 'files', name: 'v', plugin: 'projected', defaultMode: 0o644 } as const;
    const built = buildPayload(
      { ...plan, sources: [{ ...source, ...paths, uid: 7 }] },
      [{ type: 'certificate', key: 'K', chain: 'C' }],
      { fsGroup: undefined },
    );
    const file = (content: string) => ({ bytes: new TextEncoder().encode(content), mode: 0o600, uid: 7 });
    expect(built).toEqual({
      ok: true,
      payload: new Map([
        ['all.pem', file('KC')],
        ['key.pem', file('K')],
        ['chain.pem', file('C')],
      ]),
    });
  });
});
