import { X509Certificate } from 'node:crypto';
import type { Random } from '../../actor/random.ts';

/** A private key and the request for a certificate that goes with it, both PEM. */
export interface KeyAndRequest {
  readonly key: string;
  readonly request: string;
}

/** What else a certificate is to name: how whoever connects calls the node. */
export interface ServedNames {
  readonly hostnames: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Makes a new key for a node, and asks in its name (`system:node:<name>` of `system:nodes`) for a certificate: for one to serve
 * with, if it is served under `names`.
 */
export async function newKeyAndRequest(nodeName: string, names?: ServedNames): Promise<KeyAndRequest> {
  // The library asks for it when it loads.
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

/** When a certificate holds; wall-clock milliseconds. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** Of the first certificate in a PEM text; undefined where there is none, or the key that it needs is not beside it. */
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

/** Whether the first certificate in a PEM text is for all of these names. */
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

/** With 70 to 90 % of its life gone a certificate is replaced: the nodes of a cluster not all at once. */
export const rotationAt = ({ from, until }: Validity, random: Random): number =>
  from + (until - from) * (0.7 + 0.2 * random());
