import type { WallMs } from '../../actor/clock.ts';
import { X509Certificate } from 'node:crypto';
import type { Random } from '../../actor/random.ts';

/** A private key and the certificate request that belongs to it, both PEM. */
export interface KeyAndRequest {
  readonly key: string;
  readonly request: string;
}

/** Names under which clients reach the node; a serving certificate must contain them. */
export interface ServedNames {
  readonly hostnames: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Makes a new key for a node and a certificate request in the node's name (`system:node:<name>` of `system:nodes`).
 * With `names`, the request is for a serving certificate.
 */
export async function newKeyAndRequest(nodeName: string, names?: ServedNames): Promise<KeyAndRequest> {
  // The certificate library needs it when it loads.
  await import('reflect-metadata');
  const { Pkcs10CertificateRequestGenerator, PemConverter, SubjectAlternativeNameExtension } =
    await import('@peculiar/x509');
  const { subtle } = crypto;
  const keys = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['system:nodes'] }, { CN: [`system:node:${nodeName}`] }],
    keys,
    ...(names !== undefined && {
      extensions: [
        new SubjectAlternativeNameExtension([
          ...names.hostnames.map((value) => ({ type: 'dns', value }) as const),
          ...names.addresses.map((value) => ({ type: 'ip', value }) as const),
        ]),
      ],
    }),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  const key = PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { key, request: request.toString('pem') };
}

/** The period in which a certificate is valid; wall-clock milliseconds. */
export interface Validity {
  readonly from: WallMs;
  readonly until: WallMs;
}

/**
 * Returns the validity of the first certificate in a PEM text. `undefined` when there is no certificate, or when
 * its key is missing.
 */
export function validityOf(pem: string): Validity | undefined {
  if (!/-----BEGIN (EC |RSA )?PRIVATE KEY-----/.test(pem)) return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    const validity = { from: Date.parse(validFrom), until: Date.parse(validTo) };
    return Number.isNaN(validity.from) || Number.isNaN(validity.until) ? undefined : validity;
  } catch {
    return undefined;
  }
}

/** `true` if the first certificate in a PEM text covers all of these names. */
export function isFor(pem: string, { hostnames, addresses }: ServedNames): boolean {
  try {
    const certificate = new X509Certificate(pem);
    return (
      hostnames.every((name) => certificate.checkHost(name) !== undefined) &&
      addresses.every((address) => certificate.checkIP(address) !== undefined)
    );
  } catch {
    return false;
  }
}

/**
 * A certificate is replaced when 70 to 90 % of its life is over. The random part spreads the nodes of a cluster.
 */
export const rotationAt = ({ from, until }: Validity, random: Random): WallMs =>
  from + (until - from) * (0.7 + 0.2 * random());
