import { trimEndOf } from '../../kube/text/trim-run.ts';

/** An identified client. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: Identity = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The credentials of a request. */
export interface Credentials {
  /** The client certificate. `refused` when it is not from our authority, or not valid now. */
  readonly certificate: { readonly commonName: string; readonly organizations: readonly string[] } | 'none' | 'refused';
  /** `malformed`: the header is there, but its value cannot be a token. */
  readonly bearerToken: BearerToken;
  /** Tells this client from others, whatever identity it claims. */
  readonly client: string;
}

export type BearerToken = { readonly token: string } | 'none' | 'malformed';

/** In bytes. Tokens of service accounts have one or two thousand. */
const LONGEST_TOKEN = 8 * 1024;
const BEARER = /^bearer(?: +|$)/i;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Reads `Authorization: Bearer x`, in any spelling that HTTP allows. A header of another scheme is ignored. */
export function bearerTokenOf(header: string | undefined): BearerToken {
  const scheme = BEARER.exec(header ?? '')?.[0];
  if (header === undefined || scheme === undefined) return 'none';
  const token = trimEndOf(header.slice(scheme.length), ' \t');
  return token.length <= LONGEST_TOKEN && VISIBLE.test(token) ? { token } : 'malformed';
}

/** Identity from a client certificate: the common name is the user, the organizations are the groups. */
export const certificateIdentity = (certificate: {
  readonly commonName: string;
  readonly organizations: readonly string[];
}): Identity => ({
  username: certificate.commonName,
  groups: [...certificate.organizations, 'system:authenticated'],
});
