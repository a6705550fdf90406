import { stringify } from 'yaml';

export interface KubeconfigOf {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly user: { readonly certificate: string; readonly key: string } | { readonly token: string };
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig with one cluster and one user, which refers to no other file. */
export function kubeconfig({ server, authority, user }: KubeconfigOf): string {
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': encoded(user.certificate), 'client-key-data': encoded(user.key) };
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'hivelet', cluster: { server, 'certificate-authority-data': encoded(authority) } }],
      users: [{ name: 'hivelet', user: credentials }],
      contexts: [{ name: 'hivelet', context: { cluster: 'hivelet', user: 'hivelet', namespace: 'default' } }],
      'current-context': 'hivelet',
    },
    { lineWidth: 0 },
  );
}
