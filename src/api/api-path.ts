import { splitTarget } from '../kube/text/split-target.ts';

/** Paths of API objects. Names are checked where they enter the agent, and escaped here as well. */
const within = (group: string, namespace: string | undefined, rest: readonly string[]): string =>
  [
    group,
    ...(namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)]),
    ...rest.map(encodeURIComponent),
  ].join('/');

export const podPath = (namespace: string, name: string, ...subresource: readonly string[]): string =>
  within('/api/v1', namespace, ['pods', name, ...subresource]);
export const podsPath = (namespace: string): string => within('/api/v1', namespace, ['pods']);
export const nodePath = (name: string, ...subresource: readonly string[]): string =>
  within('/api/v1', undefined, ['nodes', name, ...subresource]);
export const nodesPath = '/api/v1/nodes';
export const eventsPath = (namespace: string, ...name: readonly string[]): string =>
  within('/api/v1', namespace, ['events', ...name]);
export const configMapPath = (namespace: string, name: string): string =>
  within('/api/v1', namespace, ['configmaps', name]);
export const secretPath = (namespace: string, name: string): string => within('/api/v1', namespace, ['secrets', name]);
export const serviceAccountPath = (namespace: string, name: string): string =>
  within('/api/v1', namespace, ['serviceaccounts', name]);
export const tokenPath = (namespace: string, serviceAccount: string): string =>
  within('/api/v1', namespace, ['serviceaccounts', serviceAccount, 'token']);
export const leasePath = (name: string): string =>
  within('/apis/coordination.k8s.io/v1', 'kube-node-lease', ['leases', name]);
export const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const certificateRequestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/**
 * Returns the resource of a path as RBAC roles name it: `pods`, `pods/status`, `leases`. Returns the path itself
 * when it names no object.
 */
export function apiResourceOf(path: string): string {
  const clean = splitTarget(path).path;
  const parts = clean.split('/').filter((part) => part !== '');
  const group = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : undefined;
  if (group === undefined || parts.length <= group) return clean;
  const rest = parts.slice(group);
  // A namespace is an object too: `namespaces/a` alone names the namespace itself.
  const [resource = '', , subresource] = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
