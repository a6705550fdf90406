import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import { certificateAuthority } from '../../../src/embedded/apiserver/subresources/certificate-authority.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';
import { apiUnderTest, done, NOW } from './api-under-test.ts';

const clock = manualClock(NOW);
const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

async function signingRequest(): Promise<string> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: 'O=system:nodes, CN=system:node:n',
    keys,
    signingAlgorithm,
  });
  return made.toString('pem');
}

describe('the certificate authority', () => {
  it('issues certificates that it can check', async () => {
    const authority = await certificateAuthority(clock);
    const { certificate } = await authority.issue({
      commonName: 'server',
      dnsNames: ['localhost'],
      addresses: ['127.0.0.1'],
      usage: 'server',
    });
    const read = new X509Certificate(certificate);
    expect(read.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect([read.checkHost('localhost'), read.checkIP('127.0.0.1')]).toEqual(['localhost', '127.0.0.1']);
  });

  it('continues from its saved state', async () => {
    const first = await certificateAuthority(clock);
    const again = await certificateAuthority(clock, { certificate: first.certificate, key: first.key });
    const { certificate } = await again.issue({ commonName: 'a', usage: 'client' });
    expect(new X509Certificate(certificate).verify(new X509Certificate(first.certificate).publicKey)).toBe(true);
  });
});

describe('a certificate signing request', () => {
  const requested = async (signerName: string) => {
    const authority = await certificateAuthority(clock);
    const under = apiUnderTest({
      signCertificate: (object) => {
        const { request } = object.spec as { request: string };
        return authority.sign(Buffer.from(request, 'base64').toString(), { usage: 'client', seconds: 3600 });
      },
    });
    const request = Buffer.from(await signingRequest()).toString('base64');
    await done(
      under.api.create(PATH, {
        metadata: { name: 'r' },
        spec: { request, signerName, usages: ['client auth'], username: 'forged' },
      }),
    );
    return under;
  };
  const statusOf = async ({ api }: Awaited<ReturnType<typeof requested>>) =>
    (await done(api.get(`${PATH}/r`))).status as { conditions?: { type: string }[]; certificate?: string };

  it('of a node is approved and signed automatically', async () => {
    const under = await requested('kubernetes.io/kube-apiserver-client-kubelet');
    await expect.poll(async () => (await statusOf(under)).certificate).toBeDefined();
    const { conditions, certificate = '' } = await statusOf(under);
    expect(conditions).toMatchObject([{ type: 'Approved', status: 'True' }]);
    expect(new X509Certificate(Buffer.from(certificate, 'base64')).subject).toBe('O=system:nodes\nCN=system:node:n');
  });

  it('of another user waits for approval', async () => {
    const under = await requested('kubernetes.io/kube-apiserver-client');
    await settled();
    expect(await statusOf(under)).toEqual({});
    const stored = await done(under.api.get(`${PATH}/r`));
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Fine' }] };
    await done(under.api.update(`${PATH}/r/approval`, { ...stored, status }));
    await expect.poll(async () => (await statusOf(under)).certificate).toBeDefined();
  });

  it('records the requesting user, ignoring its own claim', async () => {
    const under = await requested('kubernetes.io/kube-apiserver-client');
    expect((await done(under.api.get(`${PATH}/r`))).spec).toMatchObject({ username: 'system:admin' });
  });
});
