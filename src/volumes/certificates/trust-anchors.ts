import { pemBlocks } from '../../kube/text/pem-blocks.ts';

export type TrustAnchors =
  { readonly ok: true; readonly pem: string } | { readonly ok: false; readonly message: string };

/**
 * The certificates of bundles, each once, in an order that says nothing: none of the bundles' own, so that nobody comes to depend on
 * that (KEP-3257), and the same for the same certificates, so that nothing is written anew without need.
 */
export function trustAnchors(bundles: readonly string[]): TrustAnchors {
  const found = new Set<string>();
  for (const bundle of bundles) {
    for (const { type, body } of pemBlocks(bundle)) {
      if (type !== 'CERTIFICATE') return { ok: false, message: `invalid PEM block type: ${JSON.stringify(type)}` };
      const base64 = body.replace(/\s+/g, '');
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return { ok: false, message: 'a PEM block is not in base64' };
      found.add(base64);
    }
  }
  // The end of a certificate is its signature, which is as good as chance.
  const shuffled = [...found].sort((one, other) => (end(one) < end(other) ? -1 : 1));
  return { ok: true, pem: shuffled.map(pemBlock).join('') };
}

const SIGNATURE_END = 44;
const end = (base64: string): string => base64.slice(-SIGNATURE_END) + base64;

const pemBlock = (base64: string): string =>
  ['-----BEGIN CERTIFICATE-----', ...(base64.match(/.{1,64}/g) ?? []), '-----END CERTIFICATE-----', ''].join('\n');
