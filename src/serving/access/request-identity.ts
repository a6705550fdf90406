import { trimEndOf } from '../../kube/text/trim-run.ts';

/** Who asks. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: Identity = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** What a request carries that says who asks. */
export interface Credentials {
  /** Of a client certificate: `refused` when it was shown and is not one of ours, or not valid now. */
  readonly certificate: { readonly commonName: string; readonly organizations: readonly string[] } | 'none' | 'refused';
  /** `malformed`: a header was sent for one, and what it holds cannot be a token. */
  readonly bearerToken: BearerToken;
  /** What tells this client from others, whoever it says it is. */
  readonly client: string;
}

export type BearerToken = { readonly token: string } | 'none' | 'malformed';

/** In bytes. Tokens of service accounts have one or two thousand. */
const LONGEST_TOKEN = 8 * 1024;
const BEARER = /^bearer(?: +|$)/i;
const VISIBLE = /^[\x21-\x7e]+$/;

/** `Authorization: Bearer x`, in the spelling that HTTP allows for. A header of another scheme says nothing here. */
export function bearerTokenOf(header: string | undefined): BearerToken {
  const scheme = BEARER.exec(header ?? '')?.[0];
  if (header === undefined || scheme === undefined) return 'none';
  const token = trimEndOf(header.slice(scheme.length), ' \t');
  return token.length <= LONGEST_TOKEN && VISIBLE.test(token) ? { token } : 'malformed';
}

/** By its client certificate: the common name is the user, the organizations are the groups. */
export const certificateIdentity = (certificate: {
  readonly commonName: string;
  readonly organizations: readonly string[];
}): Identity => ({
  username: certificate.commonName,
  groups: [...certificate.organizations, 'system:authenticated'],
});
