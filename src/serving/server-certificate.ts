import { later, type WallMs } from '../actor/clock.ts';
import { readTextSync } from '../host/read-regular-file.ts';

/** A certificate and its key, as PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Reads both files. Throws an error that names the file and its problem. */
export function readServerCertificate(certFile: string, keyFile: string): ServerCertificate {
  const read = (path: string, what: string): string => {
    const text = readTextSync(path);
    if (!text.includes('-----BEGIN ')) throw new Error(`${what} ${path} holds no PEM block`);
    return text;
  };
  return { cert: read(certFile, 'tlsCertFile'), key: read(keyFile, 'tlsPrivateKeyFile') };
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** The certificate of a node that has none configured: it encrypts, and no client that verifies will trust it. */
export async function selfSignedCertificate(
  names: { readonly hostname: string; readonly addresses: readonly string[] },
  now: WallMs,
): Promise<ServerCertificate> {
  // The certificate library needs it when it loads.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${names.hostname}@${Math.floor(now / 1_000)}`,
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(later(now, YEAR_MS)),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: names.hostname },
        ...names.addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  const base64 = Buffer.from(exported)
    .toString('base64')
    .replaceAll(/.{1,64}/g, '$&\n');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${base64}-----END PRIVATE KEY-----\n`,
  };
}
