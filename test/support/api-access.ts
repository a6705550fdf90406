import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Address of an API server, and the credentials for it. */
export interface ApiAccess {
  readonly server: string;
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** Returns the contents of a kubeconfig with one cluster and one user, which refers to no other file. */
export function apiAccess(path: string): ApiAccess {
  const { clusters, users } = parse(readFileSync(path, 'utf8')) as Kubeconfig;
  const [cluster, user] = [clusters[0]?.cluster ?? {}, users[0]?.user ?? {}];
  const data = (from: Readonly<Record<string, string>>, name: string): Buffer =>
    Buffer.from(from[`${name}-data`] ?? '', 'base64');
  return {
    server: cluster['server'] ?? '',
    tls: {
      ca: data(cluster, 'certificate-authority'),
      cert: data(user, 'client-certificate'),
      key: data(user, 'client-key'),
    },
  };
}
