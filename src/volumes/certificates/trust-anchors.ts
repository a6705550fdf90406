import { pemBlocks } from '../../kube/text/pem-blocks.ts';

export type TrustAnchors =
  { readonly ok: true; readonly pem: string } | { readonly ok: false; readonly message: string };

/**
 * Returns each certificate of the bundles once. The order is arbitrary and none of the bundles' own, so that no user
 * depends on it (KEP-3257). It is the same for the same certificates, so that files are not rewritten without need.
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
  // A certificate ends in its signature, which is as good as random.
  const shuffled = [...found].sort((one, other) => (end(one) < end(other) ? -1 : 1));
  return { ok: true, pem: shuffled.map(pemBlock).join('') };
}

const SIGNATURE_END = 44;
const end = (base64: string): string => base64.slice(-SIGNATURE_END) + base64;

const pemBlock = (base64: string): string =>
  ['-----BEGIN CERTIFICATE-----', ...(base64.match(/.{1,64}/g) ?? []), '-----END CERTIFICATE-----', ''].join('\n');
