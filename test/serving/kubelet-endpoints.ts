import { readFileSync } from 'node:fs';

export interface EndpointFact {
  readonly path: string;
  readonly methods: readonly string[];
  readonly authz: readonly string[];
  readonly when: string;
  readonly contentType: string;
}

interface Facts {
  readonly endpoints: readonly EndpointFact[];
  readonly disabledWhenNoDebugging: { readonly status: number; readonly paths: readonly string[] };
}

/** The endpoints of the kubelet of Kubernetes 1.36, recorded from its source. */
export const facts = JSON.parse(
  readFileSync(new URL('../golden/kubelet-http-endpoints.json', import.meta.url), 'utf8'),
) as Facts;

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const places: Readonly<Record<string, string>> = {
  podNamespace: 'a',
  podID: 'web',
  uid: 'u1',
  containerName: 'main',
  'logpath:*': 'x/y.log',
  'subpath:*': 'cmdline',
};
/** A path of that pattern. */
export const pathOf = ({ path }: EndpointFact): string =>
  path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => places[name] ?? name);

export const methodsOf = ({ methods }: EndpointFact): readonly string[] => {
  const named = methods.map((each) => each.split(' ')[0] ?? '');
  if (named.includes('*')) return METHODS;
  return named.includes('GET') ? [...named, 'HEAD'] : named;
};
