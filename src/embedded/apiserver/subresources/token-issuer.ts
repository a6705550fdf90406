import { createHmac, type KeyObject, sign, verify } from 'node:crypto';
import type { ApiUser } from '../store/api-kind.ts';

/** The claims of a token. Times are seconds since the epoch. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    readonly node?: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
  };
}

/** Issues tokens of service accounts, and reads its own. */
export interface TokenIssuer {
  readonly issuer: string;
  issue(claims: TokenClaims): string;
  /** Returns the claims of a token that was issued here and is unaltered. Expiry is not checked. */
  read(token: string): TokenClaims | undefined;
}

const encoded = (value: object | Buffer): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');

interface Signing {
  readonly algorithm: string;
  readonly sign: (text: string) => Buffer;
  readonly isSignature: (text: string, signature: Buffer) => boolean;
}

function tokenIssuer(issuer: string, signing: Signing): TokenIssuer {
  return {
    issuer,
    issue(claims) {
      const text = `${encoded({ alg: signing.algorithm, typ: 'JWT' })}.${encoded(claims)}`;
      return `${text}.${encoded(signing.sign(text))}`;
    },
    read(token) {
      const [header, claims, signature, ...more] = token.split('.');
      if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined;
      if (!signing.isSignature(`${header}.${claims}`, Buffer.from(signature, 'base64url'))) return undefined;
      // Signed by this issuer, so these are its own claims.
      return JSON.parse(Buffer.from(claims, 'base64url').toString()) as TokenClaims;
    },
  };
}

/** Tokens that every holder of the public key can verify (JWT, ES256). */
export function keyTokens(
  issuer: string,
  keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
): TokenIssuer {
  const dsaEncoding = 'ieee-p1363';
  return tokenIssuer(issuer, {
    algorithm: 'ES256',
    sign: (text) => sign('sha256', Buffer.from(text), { key: keys.privateKey, dsaEncoding }),
    isSignature: (text, signature) =>
      verify('sha256', Buffer.from(text), { key: keys.publicKey, dsaEncoding }, signature),
  });
}

/** Tokens that are the same in every run: for tests and simulations, and not secret. */
export function plainTokens(issuer = 'https://kubernetes.default.svc'): TokenIssuer {
  const mac = (text: string): Buffer => createHmac('sha256', issuer).update(text).digest();
  return tokenIssuer(issuer, {
    algorithm: 'HS256',
    sign: mac,
    isSignature: (text, signature) => mac(text).equals(signature),
  });
}

/** Returns the user of a token. */
export function userOf({ sub, 'kubernetes.io': about }: TokenClaims): ApiUser {
  const { namespace, serviceaccount, pod, node } = about;
  const extra = {
    ...(pod && {
      'authentication.kubernetes.io/pod-name': [pod.name],
      'authentication.kubernetes.io/pod-uid': [pod.uid],
    }),
    ...(node && {
      'authentication.kubernetes.io/node-name': [node.name],
      'authentication.kubernetes.io/node-uid': [node.uid],
    }),
  };
  return {
    username: sub,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
