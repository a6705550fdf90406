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
  readonly bearerToken: string | undefined;
}

/** `Authorization: Bearer x`, in the spelling that HTTP allows for. */
export function bearerTokenOf(header: string | undefined): string | undefined {
  const found = /^bearer +(?<token>\S+)\s*$/i.exec(header ?? '');
  return found?.groups?.['token'];
}

/** By its client certificate: the common name is the user, the organizations are the groups. */
export const certificateIdentity = (certificate: {
  readonly commonName: string;
  readonly organizations: readonly string[];
}): Identity => ({
  username: certificate.commonName,
  groups: [...certificate.organizations, 'system:authenticated'],
});
